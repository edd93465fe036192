import type { AppError } from '@relata/schemas/errors';
import { expect, test } from 'vitest';
import { parseJson } from './parse-json.ts';

function thrownBy(text: string): AppError {
  try {
    parseJson(text);
  } catch (error) {
    return error as AppError;
  }
  throw new Error('The text is JSON.');
}

test.for([
  ['{"a":', 'The body is not valid JSON: a value was expected (line 1, column 6).'],
  ['{\n  "a": 1,\n}', 'The body is not valid JSON: a key in double quotes was expected (line 3, column 1).'],
  ["{'a': 1}", 'The body is not valid JSON: a key in double quotes or } was expected (line 1, column 2).'],
  ['{"a": 1} x', 'The body is not valid JSON: nothing more was expected (line 1, column 10).'],
  ['nonsense', 'The body is not valid JSON: a value was expected (line 1, column 1).'],
] as const)('a body that is not JSON is refused with the place of its first fault: %j', ([text, message]) => {
  expect(thrownBy(text)).toMatchObject({ name: 'AppError', code: 'invalid_json', message });
});

test('the place is data too, where it is known', () => {
  expect(thrownBy('{\n  "a": 1,\n}').data).toEqual({ line: 3, column: 1 });
  expect(thrownBy(`{"a":${large} 1}`).data).toEqual({ line: 1, column: 100_009 });
  expect(thrownBy(`{"a":${large},"b":`).data).toBeUndefined();
});

const large = `"${'x'.repeat(100_000)}"`;

test.for([
  [`{"a":${large} 1}`, 'The body is not valid JSON (line 1, column 100009).'],
  [`{"a":${large}`, 'The body is not valid JSON (line 1, column 100008).'],
  [`{"a":${large},"b":`, 'The body is not valid JSON: it ends too early.'],
  [`{"a":${large},"b":secret}`, 'The body is not valid JSON.'],
] as const)('a large body is not walked for the place: %#', ([text, message]) => {
  expect(thrownBy(text)).toMatchObject({ name: 'AppError', code: 'invalid_json', message });
});

test.for(['sEcReT', '{"a": sEcReT}', '{sEcReT: 1}', `{"a":${large},"b":sEcReT at position 7 (line 1 column 8)`])(
  'the message never quotes the body: %#',
  (text) => {
    expect(thrownBy(text).message).not.toMatch(/sEcReT|column 8\b|xxx/);
  },
);
