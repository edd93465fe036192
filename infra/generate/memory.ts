import type { SettingsShape } from '@relata/runtime';
import { type AppName, serviceOf } from '../services.ts';
import { describeSetting } from './described-setting.ts';

/** Of the chat, with `npm run bench -- chat`: before, and for each answer that is open (docs/benchmarks.md). */
export const measuredMb = { process: 162, answer: 0.43 };

/** No other app took more than 200 MB under any flood (docs/neighbours.md): half of it, the heap of Node, is enough. */
export const usualMb = 512;

/**
 * The memory that an app may have, in Compose and in Kubernetes alike, in steps of the usual one. Node gives half of it to
 * its heap, which is where open answers are.
 */
export function memoryMbOf(name: AppName): number {
  const setting = (serviceOf(name).settings as SettingsShape)['CHAT_STREAMS_MAX'];
  if (setting === undefined) return usualMb;
  const streams = Number(describeSetting('CHAT_STREAMS_MAX', setting).fallback);
  return Math.ceil((measuredMb.process + streams * measuredMb.answer) / usualMb) * usualMb;
}
