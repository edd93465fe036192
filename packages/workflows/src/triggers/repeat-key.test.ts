import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { compileRepeatKey } from './repeat-key.ts';

const header = 'delivery.headers["x-event-id"]';
const hashOf = (source: string, key: string) => hash('sha256', `${source}\0${JSON.stringify(key)}`, 'hex');

test('the hash of a key includes its expression', () => {
  for (const source of [header, `(${header})`])
    expect(compileRepeatKey(source)({ 'x-event-id': 'evt_1' }, {})).toEqual({ keyHash: hashOf(source, 'evt_1') });
});

test('a header is a key, however many other headers an attacker adds to a captured post', () => {
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`x-${i}`, '1']));
  for (const headers of [
    { 'x-event-id': 'evt_1', ...many },
    { ...many, 'x-event-id': 'evt_1' },
  ])
    expect(compileRepeatKey(header)(headers, {})).toEqual({ keyHash: hashOf(header, 'evt_1') });
});

test('a name that every object inherits is not a header', () => {
  const source = 'delivery.headers["constructor"]';
  expect(compileRepeatKey(source)({}, {})).toEqual({ problem: expect.stringContaining('constructor') });
});

test('a header that is not stored is not a key, even if it was sent', () => {
  expect(compileRepeatKey('delivery.headers["authorization"]')({ authorization: 'Bearer 1' }, {})).toEqual({
    problem: expect.stringContaining('authorization'),
  });
});
