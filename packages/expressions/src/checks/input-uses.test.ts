import { expect, test } from 'vitest';
import { isProblems } from '../expression.error.ts';
import { readExpression } from '../expression.ts';
import { names } from '../expression.harness.ts';

function usesOf(source: string) {
  const read = readExpression(source, names);
  if (isProblems(read)) throw new Error(read[0]!.message);
  return read.inputs;
}

test.each([
  ['inputs.email', ['email']],
  ['inputs["email"].trim() + "x"', ['email']],
  ['[inputs.email, string(inputs.amount)]', ['email', 'amount']],
  ['inputs.email == null', ['email']],
  ['has(inputs.email) ? string(inputs.amount) : inputs.email', ['amount', 'email']],
  ['has(inputs.email) || inputs.email == "a"', ['email']],
  ['payload.items.map(x, x + inputs.email)', ['email']],
])('%s needs the inputs %j (found C6)', (source, expected) => {
  expect([...usesOf(source).needed]).toEqual(expected);
});

test.each([
  'has(inputs.email)',
  'has(inputs.email) ? inputs.email : "none"',
  '!has(inputs.email) ? "none" : inputs.email',
  'has(inputs.email) && has(inputs.amount) ? inputs.email + string(inputs.amount) : ""',
  '!(has(inputs.email) && payload.a) ? "" : inputs.email',
  'has(inputs.email) && inputs.email == "a"',
  'inputs.email == "a" && has(inputs.email)',
  '!has(inputs.email) || inputs.email == "a"',
  'has(inputs.email.deeper) ? inputs.email : ""',
  'payload.items.exists(inputs, inputs.email == 1)',
  'payload.email',
])('%s needs no input that may be missing (found C6)', (source) => {
  expect([...usesOf(source).needed]).toEqual([]);
});

test.each([
  ['has(inputs.email)', ['email']],
  ['has(inputs.email) && has(inputs.amount)', ['email', 'amount']],
  ['has(inputs.email) || has(inputs.amount)', []],
  ['!has(inputs.email)', []],
  ['inputs.email == "a"', []],
])('if %s is true, the inputs %j have a value (found C6)', (source, expected) => {
  expect([...usesOf(source).tested]).toEqual(expected);
});
