import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { newId } from '@relata/db';
import { expect, test } from 'vitest';
import { newPlaces } from './event-stream.handler.ts';

const reader = (hasLeft = false) => ({ hasLeft, response: new EventEmitter() as ServerResponse });
const callerOf = (orgId = newId(), keyId = newId()) => [orgId, keyId];

test('a process has at most a hundred streams, and refuses further streams until a reader leaves', () => {
  const streams = newPlaces();
  const readers = Array.from({ length: 100 }, () => reader());
  for (const each of readers) streams.take(each, callerOf());
  const refused = expect.objectContaining({ code: 'service_unavailable', retryAfterSeconds: 10 });
  expect(() => streams.take(reader(), callerOf())).toThrowError(refused);
  readers[0]!.response.emit('close');
  streams.take(reader(), callerOf());
});

test('a key has at most five streams, and an organization with many keys leaves room for other organizations', () => {
  const streams = newPlaces();
  const [orgId, keyId] = [newId(), newId()];
  for (let i = 0; i < 5; i++) streams.take(reader(), callerOf(orgId, keyId));
  const refused = expect.objectContaining({ code: 'rate_limited', retryAfterSeconds: 10 });
  expect(() => streams.take(reader(), callerOf(orgId, keyId))).toThrowError(refused);
  for (let taken = 5; taken < 50; taken++) streams.take(reader(), callerOf(orgId));
  expect(() => streams.take(reader(), callerOf(orgId))).toThrowError(
    expect.objectContaining({ code: 'service_unavailable' }),
  );
  streams.take(reader(), callerOf());
});

test('a reader who left before the stream began takes no slot', () => {
  const streams = newPlaces();
  for (let i = 0; i < 100; i++)
    expect(() => streams.take(reader(true), callerOf())).toThrowError('The client has disconnected.');
  streams.take(reader(), callerOf());
});
