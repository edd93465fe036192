import { describe, expect, test } from 'vitest';
import { type ExpressionError, ExpressionLimitError, isProblems } from './expression.error.ts';
import { readExpression } from './expression.ts';
import { names } from './expression.harness.ts';
import { Frame, workMax } from './evaluation/frame.ts';
import { Results } from './templates/result.ts';

const letters = 'a'.repeat(250_000);

/** A payload that is expensive on purpose, and larger than a sender can send. */
const payload = {
  numbers: Array.from({ length: 10_000 }, (_, i) => i),
  many: Array(20_000).fill(0),
  letters,
  needle: `b${'a'.repeat(120_000)}`,
  short: `${'a'.repeat(100)}b`,
  ligatures: 'ﬃ'.repeat(100_000),
  words: Array.from({ length: 10_000 }, (_, i) => `${'s'.repeat(40)}${i}`),
  wide: Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, i])),
  twin: Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, i])),
  deep: Array.from({ length: 9_000 }, (_, i) => ({ a: { b: { c: [i, 'x', null] } } })),
  alsoDeep: Array.from({ length: 9_000 }, (_, i) => ({ a: { b: { c: [i, 'x', null] } } })),
  times: Array(10_000).fill('2026-01-01T00:00:00Z'),
  digits: '9'.repeat(500_000),
};

function run(source: string): { frame: Frame; error: unknown } {
  const expression = readExpression(source, names);
  if (isProblems(expression)) throw new Error(expression[0]!.message);
  const frame = new Frame({ payload });
  try {
    new Results(frame).toJson(expression.evaluate(frame));
    return { frame, error: undefined };
  } catch (error) {
    return { frame, error };
  }
}

describe('a hostile payload', () => {
  test.for([
    'payload.numbers.all(x, !(x in payload.numbers) || true)',
    'payload.many.map(x, 1)',
    'payload.many.map(x, x)',
    'payload.numbers.exists(x, payload.letters.contains(payload.needle))',
    'payload.letters.lastIndexOf(payload.short)',
    'payload.numbers.map(x, payload.letters.contains("b"))',
    'payload.numbers.map(x, payload.letters + payload.needle)',
    'payload.numbers.map(x, payload.letters).join("")',
    'payload.numbers.map(x, payload.letters)',
    'payload.letters.split("")',
    'payload.numbers.map(x, payload.words.join(""))',
    'payload.numbers.map(x, payload.numbers + payload.numbers)',
    'payload.numbers.map(x, payload.numbers)',
    'payload.numbers.map(x, size(payload.wide))',
    'payload.numbers.all(x, payload.wide == payload.twin)',
    'payload.numbers.all(x, payload.deep == payload.alsoDeep)',
    'payload.numbers.map(x, payload.ligatures.upperAscii())',
    'payload.numbers.map(x, size(payload.letters))',
    'payload.numbers.map(x, payload.letters < payload.letters + "a")',
    'payload.times.map(x, timestamp(x))',
    'payload.times.map(x, duration("1h1m1s"))',
    'payload.words.exists(x, timestamp(x) > timestamp("2026-01-01T00:00:00Z"))',
    'payload.numbers.exists(x, payload.nope)',
    'payload.numbers.all(x, payload.nope || true)',
    '[payload.deep, payload.deep, payload.deep, payload.deep, payload.deep, payload.deep]',
  ])('with a hostile payload, the evaluation of %s is stopped', (source) => {
    const { frame, error } = run(source);
    expect(error).toBeInstanceOf(ExpressionLimitError);
    // Work is counted before it is done, so work that would exceed the limit does not begin.
    expect(frame.workDone).toBeGreaterThan(0);
  });

  test.for([
    'payload.letters.contains("b")',
    'payload.letters.contains(payload.short)',
    'payload.numbers.filter(x, x > 5000 && x < 5100 && x != 5050)',
    'payload.wide.filter(k, payload.wide[k] > 9990)',
    'payload.numbers.map(x, {"id": x, "text": string(x)})',
    'payload.deep == payload.alsoDeep',
    'payload.letters.upperAscii()',
    'payload.words.map(x, x.substring(0, 2)).join(",")',
  ])('with an ordinary payload, the evaluation of %s is not stopped', (source) => {
    const { frame, error } = run(source);
    expect(error).toBeUndefined();
    expect(frame.workDone).toBeLessThan(workMax);
  });

  test('no error quotes a hostile payload', () => {
    for (const source of [
      'int(payload.letters)',
      'double(payload.digits)',
      'timestamp(payload.words[0])',
      'bool(payload.letters)',
    ])
      expect((run(source).error as ExpressionError).message).toMatch(
        /^The text cannot be converted to [a-z ]+(; write it like \S+)?\.$/,
      );
  });

  test('doubling a string again and again ends at 1 MB', () => {
    let source = 'payload.letters';
    for (let i = 0; i < 5; i++) source = `(${source} + ${source})`;
    expect(run(source).error).toBeInstanceOf(ExpressionLimitError);
  });
});
