import { describe, expect, test } from 'vitest';
import { isWithinLimits, openedLimits, signedLimits } from './body-limits.ts';

describe('the structural limits', () => {
  const isWithin = (json: string) => isWithinLimits(Buffer.from(json), openedLimits);
  const keys = (count: number) => `{${Array.from({ length: count }, (_, i) => `"k${i}":0`).join()}}`;
  const levels = (count: number) => `{"a":${'['.repeat(count - 1)}${']'.repeat(count - 1)}}`;

  test('the structural limits allow 1,000 keys and 20 levels, and not one more', () => {
    expect([isWithin(keys(1_000)), isWithin(keys(1_001))]).toEqual([true, false]);
    expect([isWithin(levels(20)), isWithin(levels(21))]).toEqual([true, false]);
  });

  test('the structural limits count every key of every object, also one that is given twice', () => {
    const object = '{"a":1,"b":2}';
    const many = (count: number) => `{"list":[${Array.from({ length: count }, () => object).join()}],"x":0}`;
    expect([isWithin(many(499)), isWithin(many(500))]).toEqual([true, false]);
    expect(isWithin(`{${Array.from({ length: 1_001 }, () => '"a":1').join()}}`)).toBe(false);
  });

  test('the structural limits ignore what is inside strings', () => {
    const text = JSON.stringify(`${'{[:'.repeat(2_000)}\\"`);
    expect(isWithin(`{"a":${text},"b\\"":{},"é:{":"日本:{"}`)).toBe(true);
    expect(isWithin(`{"a":"\\\\",${keys(1_000).slice(1)}`)).toBe(false);
  });

  test.for(['"', '\\"', '\\\\'])('a string with %s at the end of a piece is read to its real end', (text) => {
    for (let before = 131_064; before <= 131_074; before++) {
      const filled = `{"a":"${'x'.repeat(before - 6)}${text}`;
      const inText = text === '"' ? `,"b":"${'['.repeat(300)}"}` : `${'['.repeat(300)}"}`;
      expect(isWithin(`${filled}${inText}`)).toBe(true);
      const after = text === '"' ? '' : '"';
      expect(isWithin(`${filled}${after},"b":${'['.repeat(30)}${']'.repeat(30)}}`)).toBe(false);
    }
  });

  test('a body of several pieces is checked like a body of a single piece, wherever a string is split', () => {
    const text = (length: number) => JSON.stringify('\\"{'.repeat(length / 3));
    for (let length = 131_060; length < 131_084; length += 3) {
      const body = `{"${'x'.repeat(length % 7)}":${text(length)},${keys(998).slice(1)}`;
      expect([isWithin(body), isWithin(body.replace('{"', '{"k":0,"a":0,"'))]).toEqual([true, false]);
    }
  });

  test('a sender of a known kind may send any number of keys in 200 levels, and not one level more', () => {
    const isWithinSigned = (json: string) => isWithinLimits(Buffer.from(json), signedLimits);
    expect(isWithinSigned(keys(27_000))).toBe(true);
    expect([isWithinSigned(levels(200)), isWithinSigned(levels(201))]).toEqual([true, false]);
  });
});
