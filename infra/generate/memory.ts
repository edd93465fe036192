import type { SettingsShape } from '@relata/runtime';
import { type AppName, serviceOf } from '../services.ts';
import { describeSetting } from './described-setting.ts';

/**
 * Memory of the chat, in MB, as measured by `npm run bench -- chat` (docs/benchmarks.md): of the idle process, of each
 * open answer, and of the part of an answer that is in the heap. The values include garbage that the single collector
 * thread has not freed yet. With several threads, an answer used the same amount of heap.
 */
export const measuredMb = { process: 162, answer: 0.66, answerHeap: 0.43 };

/** Memory of most apps, which need less even under overload (docs/neighbours.md). Node gives half of it to its heap. */
export const usualMb = 512;

/** Memory of the receiver, which reads bodies of up to 5 MB from senders of a known kind (`SIGNED_BODY_MAX`). */
const receiverMb = 640;

/** Returns the memory limit for this number of open answers, rounded up to a multiple of `usualMb`. */
export function memoryMbFor(responses: number): number {
  return Math.ceil((measuredMb.process + responses * measuredMb.answer) / usualMb) * usualMb;
}

/**
 * Returns the memory limit of an app, the same in Compose and in Kubernetes. Node gives half of it to its heap, which
 * holds the open answers.
 */
export function memoryMbOf(name: AppName): number {
  if (name === 'webhook-ingest') return receiverMb;
  const setting = (serviceOf(name).settings as SettingsShape)['CHAT_STREAMS_MAX'];
  if (setting === undefined) return usualMb;
  return memoryMbFor(Number(describeSetting('CHAT_STREAMS_MAX', setting).fallback));
}
