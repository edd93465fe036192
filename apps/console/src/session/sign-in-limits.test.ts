import { Messaging } from '@relata/messaging';
import { QueueFullError } from '@relata/runtime';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Visitor } from './console-caller.ts';
import { SignInLimits } from './sign-in-limits.ts';

// Uses a fixed clock, since attempts are forgotten with time.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const visitorAt = (ip: string): Visitor => ({
  client: { ip, userAgent: '' },
  isSecure: true,
  origin: 'https://relata.example',
  browser: undefined,
  session: undefined,
});

/** Makes 20 attempts whose password check fails with the error, and returns how many were checked. */
async function checkedOf(error: Error, { isKnownAddress }: { isKnownAddress: boolean }): Promise<number> {
  await using stack = new AsyncDisposableStack();
  const messaging = stack.use(new Messaging({ url: 'nats://127.0.0.1:1', name: 'test' }));
  const signInLimits = new SignInLimits({ messaging, stack, chargeAddress: async () => undefined, longestWaitMs: 0 });
  const person = isKnownAddress ? ({ id: 'ada' } as never) : undefined;
  let checked = 0;
  const check = () => {
    checked++;
    return Promise.reject(error);
  };
  for (let i = 0; i < 20; i++) {
    const candidate = { email: 'ada@acme.example', person, isKnownAddress };
    const attempt = signInLimits.ofVisitor(visitorAt(isKnownAddress ? '192.0.2.1' : `192.0.2.${i}`), candidate, check);
    await attempt.catch(() => undefined);
  }
  return checked;
}

test('an attempt from an unknown address counts as a wrong guess if too many passwords are being checked (found A2)', async () => {
  const full = new QueueFullError('Too many passwords are being checked.');
  expect(await checkedOf(full, { isKnownAddress: false })).toBe(10);
  expect(await checkedOf(full, { isKnownAddress: true })).toBe(20);
});

test('an attempt counts for nothing if the service failed (found A2)', async () => {
  expect(await checkedOf(new Error('no database'), { isKnownAddress: false })).toBe(20);
});
