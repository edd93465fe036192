import { ExpressionError } from '@relata/expressions';
import { expect, test } from 'vitest';
import { checkFilter, compileFilter } from './filter.ts';

const saying = (payload: unknown) => ({ payload, headers: {} });

test('a filter selects payloads', () => {
  const filter = compileFilter('payload.kind == "lead" && size(payload.items) > 0');
  expect(filter(saying({ kind: 'lead', items: [1] }))).toBe(true);
  expect(filter(saying({ kind: 'other' }))).toBe(false);
  expect(() => filter(saying({ kind: 'lead' }))).toThrow('No such key: items in payload.');
});

test('a filter is checked without being run', () => {
  expect(checkFilter('payload.kind == "lead"')).toBeUndefined();
  expect(checkFilter('inputs.kind == "lead"')).toMatchObject({ message: 'inputs is not defined here.' });
  expect(checkFilter('payload.a ==')?.message).toContain('line 1, column 13');
  expect(checkFilter('1')?.message).toContain('must be true or false');
});

test('one evaluation of a filter leaves nothing behind for the next', () => {
  const filter = compileFilter('payload.items.exists(x, x.n == 1)');
  expect(() => filter(saying({ items: [{}] }))).toThrow(ExpressionError);
  expect(filter(saying({ items: [{ n: 1 }] }))).toBe(true);
  expect(filter(saying({ items: [] }))).toBe(false);
});

test('a single = in a filter is answered with a suggestion', () => {
  expect(checkFilter('payload.kind = "lead"')?.hint).toBe('Did you mean ==?');
  expect(() => compileFilter('payload.kind = "lead"')).toThrow('(line 1, column 14). Did you mean ==?');
});

test('a filter reads headers by lower-case names', () => {
  const filter = compileFilter('delivery.headers["x-github-event"] == "issues" && payload.action == "opened"');
  const opened = { action: 'opened' };
  expect(filter({ payload: opened, headers: { 'x-github-event': 'issues' } })).toBe(true);
  expect(filter({ payload: opened, headers: { 'x-github-event': 'push' } })).toBe(false);
  expect(() => filter(saying(opened))).toThrow('No such key: x-github-event in delivery.headers.');
  expect(compileFilter('has(delivery.headers["x-github-event"])')(saying(opened))).toBe(false);
});

test('a filter can read only the headers of a delivery, which is not stored yet', () => {
  expect(checkFilter('delivery.id == "x"')).toMatchObject({ message: 'delivery has no field id.' });
});
