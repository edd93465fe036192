import { ExpressionError } from '@relata/expressions';
import { expect, test } from 'vitest';
import { checkFilter, compileFilter } from './filter.ts';

test('a filter selects payloads', () => {
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

test('one evaluation of a filter leaves nothing behind for the next', () => {
  const filter = compileFilter('payload.items.exists(x, x.n == 1)');
  expect(() => filter({ items: [{}] })).toThrow(ExpressionError);
  expect(filter({ items: [{ n: 1 }] })).toBe(true);
  expect(filter({ items: [] })).toBe(false);
});

test('one = in a filter is answered with what was meant', () => {
  expect(checkFilter('payload.kind = "lead"')?.hint).toBe('Did you mean ==?');
  expect(() => compileFilter('payload.kind = "lead"')).toThrow('(line 1, column 14). Did you mean ==?');
});
