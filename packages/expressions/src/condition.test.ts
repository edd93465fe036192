import { expect, test } from 'vitest';
import { readCondition } from './condition.ts';
import { ExpressionError, orThrow } from './expression.error.ts';
import { names } from './expression.harness.ts';

test('a condition is true or false', () => {
  expect(orThrow(readCondition('has(inputs.email)', names)).test({ inputs: { email: 'x' } })).toBe(true);
  expect(orThrow(readCondition('has(inputs.email)', names)).test({ inputs: {} })).toBe(false);
});

test('a condition that is not true or false is refused when it is compiled, or when it is evaluated if its type is known only then', () => {
  expect(() => orThrow(readCondition('inputs.email', names))).toThrow('must be true or false, but its type is string');
  expect(() => orThrow(readCondition('inputs.amount + 1', names))).toThrow(
    'must be true or false, but its type is number',
  );
  const condition = orThrow(readCondition('payload.flag', names));
  expect(condition.test({ payload: { flag: true } })).toBe(true);
  expect(() => condition.test({ payload: { flag: 'true' } })).toThrow(ExpressionError);
});
