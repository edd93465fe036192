import { expect, test } from 'vitest';
import { DefinitionError } from './definition.error.ts';
import { inboundLead } from './definition.harness.ts';
import { readDefinitionText } from './read-definition-text.ts';

test.for([
  ['{"a":1,}', 'a key in double quotes was expected (line 1, column 8)'],
  ['{"a":\n [1,2,]}', 'a value was expected (line 2, column 7)'],
  ['{"a"', ': was expected (line 1, column 5)'],
  ['[1 2]', ', or ] was expected (line 1, column 4)'],
  ['{"a": "x" "b"}', ', or } was expected (line 1, column 11)'],
  ['', 'a value was expected (line 1, column 1)'],
  ['{"a":1} x', 'nothing more was expected (line 1, column 9)'],
  ["{'a':1}", 'a key in double quotes or } was expected (line 1, column 2)'],
  ['{"a":01}', ', or } was expected (line 1, column 7)'],
  ['{"a":"x\ty"}', 'a value was expected (line 1, column 6)'],
  ['[[{}]]]', 'nothing more was expected (line 1, column 7)'],
  ['[}', 'a value or ] was expected (line 1, column 2)'],
])('the text %s is refused as invalid JSON, with the position', ([text, expected]) => {
  expect(() => readDefinitionText(text!)).toThrow(`The text is not JSON: ${expected}.`);
});

test.for([
  ['{"name":"a",\n "name":"b"}', 'The key "name" is given twice (line 2, column 2).'],
  ['{"steps":[{"with":{"a":1,"b":{"a":2},"a" : 3}}]}', 'The key "a" is given twice (line 1, column 38).'],
  ['{"a":{"b":1},"\\u0061":2}', 'The key "\\u0061" is given twice (line 1, column 14).'],
  ['{"__proto__":1,"__proto__":2}', 'The key "__proto__" is given twice (line 1, column 16).'],
])('the text %s is refused for a repeated key, with its position', ([text, expected]) => {
  expect(() => readDefinitionText(text!)).toThrow(expected!);
});

test('a long key that is given twice is cut', () => {
  const member = `"${'k'.repeat(900)}":1`;
  expect(() => readDefinitionText(`{${member},${member}}`)).toThrow(`The key "${'k'.repeat(63)}… is given twice`);
});

test('a key that occurs in several objects, or as a value, is not a repeated key', () => {
  const text =
    '{"name":"x","steps":[["name","name"],{"name":"name","n\\"":"{\\"a\\":1,\\"a\\":2}","n":{"n":1}},{"name":1}]}';
  expect(() => readDefinitionText(text)).not.toThrow('twice');
  expect(() => readDefinitionText(text)).toThrow(DefinitionError);
});

test.for([
  ['one string', `"${'\\"'.repeat(500_000)}"`],
  ['spaces', `{"a"${' '.repeat(1_000_000)}:1}`],
  ['spaces after values', `["a"${`,"a"${' '.repeat(900)}`.repeat(1_100)}]`],
  ['open objects', `${'{"a":'.repeat(170_000)}1${'}'.repeat(170_000)}`],
])('a large text of %s is read quickly', ([, text]) => {
  expect(() => readDefinitionText(text!)).toThrow(DefinitionError);
});

test('a byte order mark before a definition is skipped', () => {
  expect(readDefinitionText(`\uFEFF${JSON.stringify(inboundLead)}`).name).toBe('inbound-lead');
});

test('a definition that is far too large is not parsed', () => {
  expect(() => readDefinitionText('['.repeat(2_000_000))).toThrow(DefinitionError);
});
