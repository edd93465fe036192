import { newId } from '@relata/db';
import { expect, test } from 'vitest';
import { newPlaces } from './event-stream.handler.ts';

const callerOf = (orgId = newId(), keyId = newId()) => [orgId, keyId];

test('a process has at most a hundred streams, and refuses further streams until a reader leaves', () => {
  const streams = newPlaces();
  const releases = Array.from({ length: 100 }, () => streams.take(callerOf()));
  const refused = expect.objectContaining({ code: 'service_unavailable', retryAfterSeconds: 10 });
  expect(() => streams.take(callerOf())).toThrowError(refused);
  releases[0]!();
  streams.take(callerOf());
});

test('a key has at most five streams, and an organization with many keys leaves room for other organizations', () => {
  const streams = newPlaces();
  const [orgId, keyId] = [newId(), newId()];
  for (let i = 0; i < 5; i++) streams.take(callerOf(orgId, keyId));
  const refused = expect.objectContaining({ code: 'rate_limited', retryAfterSeconds: 10 });
  expect(() => streams.take(callerOf(orgId, keyId))).toThrowError(refused);
  for (let taken = 5; taken < 50; taken++) streams.take(callerOf(orgId));
  expect(() => streams.take(callerOf(orgId))).toThrowError(expect.objectContaining({ code: 'service_unavailable' }));
  streams.take(callerOf());
});
