import { expect, test } from 'vitest';
import { compileCondition } from './condition.ts';
import { ExpressionError } from './expression.error.ts';
import { names } from './expression.harness.ts';
import { checkFilter, compileFilter } from './filter.ts';

test('a condition is true or false', () => {
  expect(compileCondition('has(inputs.email)', names).test({ inputs: { email: 'x' } })).toBe(true);
  expect(compileCondition('has(inputs.email)', names).test({ inputs: {} })).toBe(false);
});

test('what can be neither is refused when compiled, and when it is neither', () => {
  expect(() => compileCondition('inputs.email', names)).toThrow('never true or false, but: string');
  expect(() => compileCondition('inputs.amount + 1', names)).toThrow('never true or false, but: number');
  const condition = compileCondition('payload.flag', names);
  expect(condition.test({ payload: { flag: true } })).toBe(true);
  expect(() => condition.test({ payload: { flag: 'true' } })).toThrow(ExpressionError);
});

test('a filter judges payloads', () => {
  const filter = compileFilter('payload.kind == "lead" && size(payload.items) > 0');
  expect(filter({ kind: 'lead', items: [1] })).toBe(true);
  expect(filter({ kind: 'other' })).toBe(false);
  expect(() => filter({ kind: 'lead' })).toThrow('No such key: items in payload.');
});

test('a filter is checked without being run', () => {
  expect(checkFilter('payload.kind == "lead"')).toBeUndefined();
  expect(checkFilter('inputs.kind == "lead"')).toMatchObject({ message: 'There is no inputs here.' });
  expect(checkFilter('payload.a ==')?.message).toContain('line 1, column 13');
  expect(checkFilter('1')?.message).toContain('never true or false');
});

test('one evaluation leaves nothing behind for the next', () => {
  const filter = compileFilter('payload.items.exists(x, x.n == 1)');
  expect(() => filter({ items: [{}] })).toThrow(ExpressionError);
  expect(filter({ items: [{ n: 1 }] })).toBe(true);
  expect(filter({ items: [] })).toBe(false);
});
