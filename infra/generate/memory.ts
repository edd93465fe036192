import type { SettingsShape } from '@relata/runtime';
import { type AppName, serviceOf } from '../services.ts';
import { describeSetting } from './described-setting.ts';

/**
 * Memory of the chat, by `npm run bench -- chat`: before, and for each open answer, including garbage that waits for
 * its thread (docs/benchmarks.md). An answer takes no more of the heap than when several threads collected garbage.
 */
export const measuredMb = { process: 162, answer: 0.66, answerHeap: 0.43 };

/** More than most apps take under a flood (docs/neighbours.md); half of it, the heap of Node, is enough for each. */
export const usualMb = 512;

/** For bodies of 5 MB of senders of a known kind, `SIGNED_BODY_MAX`. */
const receiverMb = 640;

/** Returns the memory limit for so many answers, in steps of the usual memory. */
export function memoryMbFor(answers: number): number {
  return Math.ceil((measuredMb.process + answers * measuredMb.answer) / usualMb) * usualMb;
}

/**
 * The memory that an app may have, in Compose and in Kubernetes alike. Node gives half of it to its heap, which is where
 * open answers are.
 */
export function memoryMbOf(name: AppName): number {
  if (name === 'webhook-ingest') return receiverMb;
  const setting = (serviceOf(name).settings as SettingsShape)['CHAT_STREAMS_MAX'];
  if (setting === undefined) return usualMb;
  return memoryMbFor(Number(describeSetting('CHAT_STREAMS_MAX', setting).fallback));
}
