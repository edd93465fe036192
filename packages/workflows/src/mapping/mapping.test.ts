import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isWithinLimits } from './body-limits.ts';
import { flatten, parseFieldPath, valueAt } from './field-path.ts';

const at = (payload: unknown, path: string) => valueAt(payload, parseFieldPath(path)!);

describe('a field path', () => {
  test('leads through objects and arrays, and takes them whole', () => {
    const payload = { user: { email: 'a@b.c' }, items: [{ sku: 1 }, { sku: 2 }] };
    expect(at(payload, 'payload.user.email')).toBe('a@b.c');
    expect(at(payload, 'payload.items.1.sku')).toBe(2);
    expect(at(payload, 'payload.items')).toEqual(payload.items);
    expect(at(payload, 'payload')).toBe(payload);
    expect(at(payload, 'payload.items.01')).toBeUndefined();
    expect(at(payload, 'payload.items.length')).toBeUndefined();
    expect(at(payload, 'payload.user.email.0')).toBeUndefined();
  });

  test('prefers a key that contains dots, and goes on where it leads nowhere', () => {
    expect(at({ 'user.email': 'dotted', user: { email: 'nested' } }, 'payload.user.email')).toBe('dotted');
    expect(at({ user: { email: 'nested' }, 'user.email': 'dotted' }, 'payload.user.email')).toBe('dotted');
    expect(at({ a: { 'b.c': 1, b: { c: 2 } } }, 'payload.a.b.c')).toBe(1);
    expect(at({ 'a.b': { x: 1 }, a: { b: { c: 2 } } }, 'payload.a.b.c')).toBe(2);
  });

  test('finds own data only', () => {
    const payload = JSON.parse('{"__proto__": {"x": 1}}');
    expect(at(payload, 'payload.__proto__.x')).toBe(1);
    for (const path of ['payload.__proto__', 'payload.constructor', 'payload.toString.name'])
      expect(at({}, path)).toBeUndefined();
  });

  test('is refused where it is none', () => {
    for (const text of ['', 'user', 'payload.', 'payload..x', 'payloads.x', `payload.${'x'.repeat(1_000)}`])
      expect(parseFieldPath(text)).toBeUndefined();
  });
});

describe('flattening', () => {
  test('names every leaf, empty objects and arrays among them', () => {
    const payload = { user: { email: 'a@b.c', tags: [] }, items: [{ sku: 1 }, {}], n: null };
    expect(Object.fromEntries(flatten(payload))).toEqual({
      'payload.user.email': 'a@b.c',
      'payload.user.tags': [],
      'payload.items.0.sku': 1,
      'payload.items.1': {},
      'payload.n': null,
    });
    expect([...flatten({})]).toEqual([['payload', {}]]);
  });

  test('gives each field the value that its path leads to', () => {
    const key = fc.constantFrom('a', 'b', 'a.b', 'b.a', 'a.a', '0', '__proto__');
    const payload = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 3 }, fc.integer(), fc.array(tie('value')), tie('object')),
      object: fc.array(fc.tuple(key, tie('value')), { maxLength: 5 }).map((entries) => {
        const text = entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
        return JSON.parse(`{${text.join()}}`) as unknown;
      }),
    })).object;
    fc.assert(
      fc.property(payload, (given) => {
        for (const [path, value] of flatten(given)) expect(at(given, path)).toEqual(value);
      }),
    );
  });
});

describe('the structural limits', () => {
  const isWithin = (json: string) => isWithinLimits(Buffer.from(json));
  const keys = (count: number) => `{${Array.from({ length: count }, (_, i) => `"k${i}":0`).join()}}`;
  const levels = (count: number) => `{"a":${'['.repeat(count - 1)}${']'.repeat(count - 1)}}`;

  test('allow 1,000 keys and 20 levels, and not one more', () => {
    expect([isWithin(keys(1_000)), isWithin(keys(1_001))]).toEqual([true, false]);
    expect([isWithin(levels(20)), isWithin(levels(21))]).toEqual([true, false]);
  });

  test('count every key of every object, also one that is given twice', () => {
    const object = '{"a":1,"b":2}';
    const many = (count: number) => `{"list":[${Array.from({ length: count }, () => object).join()}],"x":0}`;
    expect([isWithin(many(499)), isWithin(many(500))]).toEqual([true, false]);
    expect(isWithin(`{${Array.from({ length: 1_001 }, () => '"a":1').join()}}`)).toBe(false);
  });

  test('are not misled by what stands in strings', () => {
    const text = JSON.stringify(`${'{[:'.repeat(2_000)}\\"`);
    expect(isWithin(`{"a":${text},"b\\"":{},"é:{":"日本:{"}`)).toBe(true);
    expect(isWithin(`{"a":"\\\\",${keys(1_000).slice(1)}`)).toBe(false);
  });
});
