import { expect, test } from 'vitest';
import { compileCondition } from './condition.ts';
import { ExpressionError } from './expression.error.ts';
import { names } from './expression.harness.ts';

test('a condition is true or false', () => {
  expect(compileCondition('has(inputs.email)', names).test({ inputs: { email: 'x' } })).toBe(true);
  expect(compileCondition('has(inputs.email)', names).test({ inputs: {} })).toBe(false);
});

test('a condition that is never true or false is refused when compiled, another one when it is neither', () => {
  expect(() => compileCondition('inputs.email', names)).toThrow('never true or false, but: string');
  expect(() => compileCondition('inputs.amount + 1', names)).toThrow('never true or false, but: number');
  const condition = compileCondition('payload.flag', names);
  expect(condition.test({ payload: { flag: true } })).toBe(true);
  expect(() => condition.test({ payload: { flag: 'true' } })).toThrow(ExpressionError);
});
