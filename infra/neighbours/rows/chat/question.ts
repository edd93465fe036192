import type { FloodContext } from '../../flood/flood.ts';
import { waited } from '../../flood/load-shapes.ts';
import type { Sent } from '@relata/testbed/http-client';

/** Returns the request with a question of a visitor of the flooding organization. */
export function questionFrom({ flooder, signal }: FloodContext<unknown>, address: string, text: string): Sent {
  const headers = { 'x-api-key': flooder.keys[0]!, 'x-forwarded-for': address };
  const body = { messages: [{ role: 'user', parts: [{ type: 'text', text }] }] };
  return { method: 'POST', path: '/v1/genie/chat', headers, body, signal };
}

/** Returns the address of a visitor; each address may send a few questions per minute. */
export function floodAddress(number: number): string {
  return `172.16.${Math.floor(number / 250) % 250}.${(number % 250) + 1}`;
}

/** Lets visitors ask again and again at irregular intervals. `ask` gets the number of questions asked before. */
export async function crowd(
  signal: AbortSignal,
  { visitors, againAfterMs }: { visitors: number; againAfterMs: number },
  ask: (number: number) => Promise<unknown>,
): Promise<void> {
  let asked = 0;
  const askOnAndOn = async () => {
    await waited(againAfterMs * Math.random(), signal);
    while (!signal.aborted) {
      await ask(asked++);
      await waited(againAfterMs * (0.5 + Math.random()), signal);
    }
  };
  await Promise.all(Array.from({ length: visitors }, askOnAndOn));
}
