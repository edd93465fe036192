import { expect, test } from 'vitest';
import { cleanJson, storableJson, storableJsonInSlices } from './clean-text.ts';

test.each<[unknown, string]>([
  ['a\u0000b', '"a\uFFFDb"'],
  ['\ud800', '"\uFFFD"'],
  ['\\u0000 \u{1F600}', String.raw`"\\u0000 ${'\u{1F600}'}"`],
  [undefined, 'null'],
  [{ 'k\u0000': ['\udfff'] }, '{"k\uFFFD":["\uFFFD"]}'],
  [[820982911946154508n, { a: 1n }], '["820982911946154508",{"a":"1"}]'],
  [JSON.parse(String.raw`{ "__proto__": { "a": "\u0000" } }`), '{"__proto__":{"a":"\uFFFD"}}'],
])('%o is written as JSON that the database can store', (value, expected) => {
  expect(storableJson(value)).toBe(expected);
});

test('a value with nothing to clean is returned itself, not a copy', () => {
  const clean = { a: [{ b: 'x' }] };
  expect(cleanJson(clean)).toBe(clean);
  const [first, second] = cleanJson([clean, '\u0000']);
  expect(first).toBe(clean);
  expect(second).toBe('\uFFFD');
});

test('a large value is cleaned in steps, however its members are nested', () => {
  const nested = { rows: Array.from({ length: 20_000 }, (_, id) => ({ id, large: 1n })) };
  expect([...storableJsonInSlices(nested)].length).toBeGreaterThan(20);
  expect([...storableJsonInSlices({ rows: ['a'] })]).toEqual([]);
});
