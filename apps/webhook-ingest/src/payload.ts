import { isUtf8 } from 'node:buffer';
import { isWithinLimits } from '@relata/workflows/intake';
import { Refusal } from './refusal.ts';

/** Reads a delivery's body: a JSON object within the structural limits; nothing at all is an empty object. */
export function parsePayload(body: Buffer): object {
  if (body.length === 0) return {};
  if (!isUtf8(body)) throw new Refusal('invalid_json');
  const payload = parse(body.toString('utf8'));
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) throw new Refusal('invalid_json');
  if (!isWithinLimits(body)) throw new Refusal('too_complex');
  return payload;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal('invalid_json');
  }
}
