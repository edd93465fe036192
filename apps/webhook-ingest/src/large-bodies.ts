import { QueueFullError } from '@relata/runtime';

/**
 * Approximate limit for the total size of bodies over 512 KB, in bytes. It applies separately to bodies being read, and
 * to bodies being parsed and stored.
 */
const largeBytesMax = 20_971_520;
const slots = { min: 2, max: 4 };

/** Returns how many bodies of this size are handled at once, which is 2 to 4. */
export function largeSlots(bytesMax: number): number {
  return Math.min(Math.max(Math.floor(largeBytesMax / bytesMax), slots.min), slots.max);
}

/** Maximum size of a body after decoding, in bytes, if the sender uses `X-Webhook-Secret`. */
export const payloadBytesMax = 524_288;

/** Number of bytes that the inputs of a delivery may have without a slot. */
const inputBytesMax = 10 * payloadBytesMax;

/**
 * Returns true if a body needs a slot while it is parsed and stored: it has more than 512 KB, or the mapped inputs
 * would have more than 5 MB together if each were the whole body.
 */
export function needsSlot(bodyBytes: number, mappedInputs: number): boolean {
  return bodyBytes > payloadBytesMax || bodyBytes * mappedInputs > inputBytesMax;
}

export const longestWait = { ms: 20_000, error: () => new QueueFullError('Too many large bodies at once.') };
