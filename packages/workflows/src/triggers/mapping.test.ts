import fc from 'fast-check';
import { expectWithin } from '@relata/testing';
import { describe, expect, test } from 'vitest';
import { fieldPathCharactersMax, parseFieldPath, valueAt } from './field-path.ts';
import { flatten } from './flatten.ts';

const at = (payload: unknown, path: string) => valueAt({ payload, headers: {} }, parseFieldPath(path)!);

describe('a field path', () => {
  test('a field path leads through objects and arrays, and may end at an object or array', () => {
    const payload = { user: { email: 'a@b.c' }, items: [{ sku: 1 }, { sku: 2 }] };
    expect(at(payload, 'payload.user.email')).toBe('a@b.c');
    expect(at(payload, 'payload.items.1.sku')).toBe(2);
    expect(at(payload, 'payload.items')).toEqual(payload.items);
    expect(at(payload, 'payload')).toBe(payload);
    expect(at(payload, 'payload.items.01')).toBeUndefined();
    expect(at(payload, 'payload.items.length')).toBeUndefined();
    expect(at(payload, 'payload.user.email.0')).toBeUndefined();
  });

  test('a field path prefers a key with dots, and tries shorter keys if that key leads nowhere', () => {
    expect(at({ 'user.email': 'dotted', user: { email: 'nested' } }, 'payload.user.email')).toBe('dotted');
    expect(at({ user: { email: 'nested' }, 'user.email': 'dotted' }, 'payload.user.email')).toBe('dotted');
    expect(at({ a: { 'b.c': 1, b: { c: 2 } } }, 'payload.a.b.c')).toBe(1);
    expect(at({ 'a.b': { x: 1 }, a: { b: { c: 2 } } }, 'payload.a.b.c')).toBe(2);
  });

  test('a field path of many segments is followed quickly through the most hostile payload that is accepted', async () => {
    const segments = Array.from({ length: 400 }, () => 'a');
    const branches = (keys: number, then: () => unknown) =>
      Object.fromEntries(Array.from({ length: keys }, (_, i) => [segments.slice(0, i + 1).join('.'), then()]));
    const payload = branches(31, () => branches(31, () => ({})));
    const path = `payload.${segments.join('.')}.z`;
    // Takes about 10 ms. It would take 15 s to build and try every key that could continue the path at each object.
    await expectWithin(8_000, () => {
      for (let i = 0; i < 10; i++) expect(at(payload, path)).toBeUndefined();
    });
  });

  test('a field path of many segments finds the same value as a path of few segments', () => {
    const path = `payload.${Array.from({ length: 20 }, (_, i) => `k${i}`).join('.')}`;
    const nested = (from: number): unknown => (from === 20 ? 'found' : { [`k${from}`]: nested(from + 1) });
    expect(at(nested(0), path)).toBe('found');
    expect(at({ [path.slice('payload.'.length)]: 'dotted', ...(nested(0) as object) }, path)).toBe('dotted');
    expect(at({ 'k0.k1': { k2: 'elsewhere' }, ...(nested(0) as object) }, path)).toBe('found');
    expect(at({ k0: { 'k1.k2': nested(3) } }, path)).toBe('found');
    const indexes = `payload.${Array.from({ length: 10 }, () => '0').join('.')}`;
    expect(at({ '0': JSON.parse(`${'['.repeat(9)}5${']'.repeat(9)}`) }, indexes)).toBe(5);
  });

  test('a field path finds no inherited members', () => {
    const payload = JSON.parse('{"__proto__": {"x": 1}}');
    expect(at(payload, 'payload.__proto__.x')).toBe(1);
    for (const path of ['payload.__proto__', 'payload.constructor', 'payload.toString.name'])
      expect(at({}, path)).toBeUndefined();
  });

  test('a field path leads to a header, whatever the case of its name', () => {
    const content = { payload: { headers: { 'x-event': 'body' } }, headers: { 'x-event': 'signup', 'a.b': 'dotted' } };
    const headerAt = (path: string) => valueAt(content, parseFieldPath(path)!);
    expect(headerAt('headers.X-Event')).toBe('signup');
    expect(headerAt('headers.a.b')).toBe('dotted');
    expect(headerAt('payload.headers.x-event')).toBe('body');
    for (const path of ['headers.x-other', 'headers.constructor', 'headers.x-event.length'])
      expect(headerAt(path)).toBeUndefined();
  });

  test('a string that is not a field path is refused', () => {
    for (const text of [
      '',
      'user',
      'headers',
      'headers.',
      'payload.',
      'payload..x',
      'payloads.x',
      `payload.${'x'.repeat(1_000)}`,
    ])
      expect(parseFieldPath(text)).toBeUndefined();
  });
});

describe('flattening', () => {
  test('flattening shows the digits of a whole number beyond 2^53', () => {
    expect([...flatten({ id: 820982911946154508n })]).toEqual([['payload.id', '820982911946154508']]);
  });

  test('flattening names every leaf, including empty objects and arrays', () => {
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

  test('flattening gives each field the value that its path leads to', () => {
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
        const fields = flatten(given);
        for (const [path, value] of fields) expect(at(given, path)).toEqual(value);
        for (const path of leafPaths('payload', given)) {
          const seen = at(given, path);
          expect(fields.has(path)).toBe(isLeaf(seen));
        }
      }),
    );
  });

  test('flattening leaves out fields that no input can use, so that no payload makes it slow', () => {
    const near = 'x'.repeat(fieldPathCharactersMax - 'payload.'.length);
    const far = { [near]: 1, [`${near}x`]: 2, a: { b: 3, ['.'.repeat(400_000)]: 4 } };
    expect(flatten(far)).toEqual(new Map(Object.entries({ [`payload.${near}`]: 1, 'payload.a.b': 3 })));
    const deep = JSON.parse('{"k":'.repeat(50_000) + '1' + '}'.repeat(50_000));
    expect(flatten({ deep, a: 1 })).toEqual(new Map([['payload.a', 1]]));
    const wide = { list: Array.from({ length: 6_000 }, (_, i) => i), last: 1 };
    expect([...flatten(wide).values()]).toEqual(Array.from({ length: 5_000 }, (_, i) => i));
  });
});

/** Returns the paths of all leaves, including those that another field hides. */
function leafPaths(path: string, value: unknown): string[] {
  if (isLeaf(value)) return [path];
  return Object.entries(value as object).flatMap(([key, inner]) => leafPaths(`${path}.${key}`, inner));
}

function isLeaf(value: unknown): boolean {
  return typeof value !== 'object' || value === null || Object.keys(value).length === 0;
}
