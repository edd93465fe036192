import { expect, test } from 'vitest';
import { orderedJson } from './ordered-json.ts';

test.each([
  ['{"b":[1,-0.5,1e30,null],"a":{"d":"","c":[]}}', '{"a":{"c":[],"d":""},"b":[1,-0.5,1e+30,null]}'],
  ['[{"__proto__":{"b":1,"a":true}},"\\u0000\\ud800é"]', '[{"__proto__":{"a":true,"b":1}},"\\u0000\\ud800é"]'],
  ['{"10":1,"9":2,"a":{}}', '{"10":1,"9":2,"a":{}}'],
  ['null', 'null'],
])('%s: orders the members of each object by name', (sent, text) => {
  expect(orderedJson(JSON.parse(sent))).toBe(text);
});

test('leaves out the same values as JSON.stringify', () => {
  const given = ['create', {}, { dry_run: undefined }, undefined];
  expect(orderedJson(given)).toBe(JSON.stringify(given));
});

test('accepts the deepest nesting that a body can have', () => {
  const deep = `${'[{"a":'.repeat(70_000)}1${'}]'.repeat(70_000)}`;
  expect(orderedJson(JSON.parse(deep))).toBe(deep);
});
