import { QueueFullError } from '@relata/runtime';

/**
 * Limit for all bodies over 512 KB together, in bytes. It applies separately to bodies being read, and to bodies being
 * parsed and stored.
 */
const largeBytesMax = 20_971_520;
const slots = { min: 2, max: 4 };

/** Returns how many bodies of this size are handled at once: 2 to 4. */
export function largeSlots(bytesMax: number): number {
  return Math.min(Math.max(Math.floor(largeBytesMax / bytesMax), slots.min), slots.max);
}

export const longestWait = { ms: 20_000, error: () => new QueueFullError('Too many large bodies at once.') };
