import { expect, test } from 'vitest';
import { parseFieldPath, valueAt } from '../../../../packages/workflows/src/triggers/field-path.ts';
import { bodyFields } from './fields.ts';

const hostile = {
  user: { email: 'ada@acme.example', 'first name': 'Ada', __proto__x: 1 },
  'a.b': 'dotted',
  a: { b: 'nested', c: [true, { d: null }] },
  '': 'no name',
  tail: { '': 1, 'x.': 2, '.y': 3, in: 4, 'say "hi"': 5, constructor: 6 },
  list: [],
  none: {},
};

test('each field with a path is the one that a mapping finds with this path, and no other field has the path', () => {
  const fields = bodyFields(hostile, 1_000);
  for (const { place, value, hasPath } of fields) {
    const path = parseFieldPath(place.path);
    const found = path && valueAt({ payload: hostile, headers: {} }, path);
    expect(hasPath, place.path).toBe(found === value);
  }
  const paths = fields.filter(({ hasPath }) => hasPath).map(({ place }) => place.path);
  expect(paths).toContain('payload.user.email');
  expect(paths).toContain('payload.a.c.1.d');
  expect(paths.filter((path) => path === 'payload.a.b')).toHaveLength(1);
  expect(new Set(paths).size).toBe(paths.length);
});

test('a value without a path has an expression', () => {
  const expressions = bodyFields(hostile, 1_000).map(({ place }) => place.expression);
  expect(new Set(expressions).size).toBe(expressions.length);
  expect(expressions).toEqual(
    expect.arrayContaining(['payload["a.b"]', 'payload.a.b', 'payload[""]', 'payload.tail["in"]']),
  );
});

test('only the requested number of fields is read, however wide or deep the body is', () => {
  const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`k${at}`, at]));
  expect(bodyFields({ wide, 'w.x': 1 }, 101)).toHaveLength(101);
  const deep = JSON.parse('{"a":'.repeat(20_000) + '1' + '}'.repeat(20_000));
  const [only, ...others] = bodyFields(deep, 101);
  expect([others.length, only!.hasPath, only!.place.path.length]).toEqual([0, false, 1_001]);
});
