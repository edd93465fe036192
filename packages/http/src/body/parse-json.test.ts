import type { AppError } from '@relata/schemas/errors';
import { expect, test } from 'vitest';
import { parseJson } from './parse-json.ts';

async function thrownBy(text: string): Promise<AppError> {
  try {
    await parseJson(text, { party: ['acme'] });
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
] as const)('reports the position of the first fault in a body that is not JSON: %j', async ([text, message]) => {
  expect(await thrownBy(text)).toMatchObject({ name: 'AppError', code: 'invalid_json', message });
});

test.for([
  ['a list', `[${'1,'.repeat(100_000)}`],
  ['deep arrays', '['.repeat(100_000)],
  ['a long text', `{"a":"${'x'.repeat(100_000)}" 1}`],
] as const)('returns the position as structured fields, also for a large body: %s', async ([, text]) => {
  const { data, message } = await thrownBy(text);
  expect(data).toEqual({ line: 1, column: text.endsWith('1}') ? 100_009 : text.length + 1 });
  expect(message).toContain(`(line 1, column ${data!.column})`);
});

const large = `"${'x'.repeat(100_000)}"`;

test.for(['sEcReT', '{"a": sEcReT}', '{sEcReT: 1}', `{"a":${large},"b":sEcReT at position 7 (line 1 column 8)`])(
  'the message never quotes the body: %#',
  async (text) => {
    expect((await thrownBy(text)).message).not.toMatch(/sEcReT|column 8\b|xxx/);
  },
);
