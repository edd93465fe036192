import { expect, test } from 'vitest';
import { names } from '../expression.harness.ts';
import { ExpressionError, orThrow } from '../expression.error.ts';
import { scanTemplate } from './scan-template.ts';
import { readTemplate } from './template.ts';

const context = {
  inputs: { email: 'a@b.c', amount: 3 },
  payload: { list: [1], object: { a: 1 }, none: null, yes: true },
};

function fill(value: unknown): unknown {
  return orThrow(readTemplate(value, names)).evaluate(context);
}

test('a string that is one expression keeps its type', () => {
  expect(fill('${{ inputs.amount }}')).toBe(3);
  expect(fill('${{payload.list}}')).toEqual([1]);
  expect(fill('${{ payload.none }}')).toBeNull();
});

test('in any other string, values become text', () => {
  expect(fill('Dear ${{ inputs.email }}: ${{ inputs.amount }} ${{ payload.yes }} ${{ payload.none }}|')).toBe(
    'Dear a@b.c: 3 true |',
  );
  expect(fill('${{ payload.list }}${{ payload.object }}')).toBe('[1]{"a":1}');
  expect(fill(' ${{ inputs.amount }}')).toBe(' 3');
});

test('a price can follow a dollar sign', () => {
  expect(fill('$${{ inputs.amount }}')).toBe('$3');
});

test('an expression can write the opening `${{` itself', () => {
  expect(fill("${{ '${{' }}")).toBe('${{');
  expect(fill("write ${{ '${{ x }}' }}!")).toBe('write ${{ x }}!');
});

test('closing braces within strings, objects and comments do not end an expression', () => {
  expect(fill("${{ '}}' }}")).toBe('}}');
  expect(fill('${{ {"a": {"b": 1}} }}')).toEqual({ a: { b: 1 } });
  expect(fill('${{ {"a": {"b": "}}\\"}}"}} }}')).toEqual({ a: { b: '}}"}}' } });
  expect(fill("${{ '''it's }}''' }}")).toBe("it's }}");
  expect(fill('${{ 1 // }}\n + 1 }}')).toBe(2);
});

test('a long string of openings and quotes is scanned in linear time', () => {
  expect(scanTemplate('${{ " }}'.repeat(10_000))).toHaveLength(5_000);
  expect(scanTemplate(`\${{ ${"'''\"".repeat(20_000)}`)).toBeUndefined();
});

test('keys are literal, even __proto__', () => {
  const filled = fill(JSON.parse('{ "${{ 1 }}": "${{ 1 }}", "__proto__": { "x": "${{ 2 }}" } }')) as object;
  expect(JSON.stringify(filled)).toBe('{"${{ 1 }}":1,"__proto__":{"x":2}}');
});

test('a value without expressions is returned unchanged', () => {
  const value = { a: [1, 'x', null] };
  expect(fill(value)).toBe(value);
});

test('all problems of a template are reported, each with its path', () => {
  const problems = readTemplate({ a: ['${{ inputs.x }} ${{ foo }}'], b: '${{ 1' }, names);
  expect(problems).toMatchObject([
    { path: ['a', 0], message: 'The workflow has no input x.' },
    { path: ['a', 0], message: 'foo is not defined here.' },
    { path: ['b'], message: 'An expression is not closed with }}.' },
  ]);
});

test('an evaluation error names its path in the template', () => {
  expect(() => fill({ set: { email: 'x${{ payload.mail }}' } })).toThrow(ExpressionError);
  expect(() => fill({ set: { email: 'x${{ payload.mail }}' } })).toThrow(/^set\.email: No such key: mail in payload\./);
});

test('all expressions of one value share one limit', () => {
  const big = { inputs: {}, payload: { text: 'a'.repeat(500_000) } };
  const twice = orThrow(readTemplate(['${{ payload.text }}', '${{ payload.text }}'], names));
  expect(twice.evaluate(big)).toHaveLength(2);
  const often = orThrow(readTemplate(Array(3).fill('${{ payload.text }}'), names));
  expect(() => often.evaluate(big)).toThrow('larger than 1 MB');
});

test('a template lists the roots that it reads', () => {
  expect([...orThrow(readTemplate('${{ inputs.email }}', names)).roots]).toEqual(['inputs']);
  expect([...orThrow(readTemplate(['${{ steps.contact }} ${{ payload }}'], names)).roots]).toEqual([
    'steps',
    'payload',
  ]);
  expect([...orThrow(readTemplate('${{ [1].map(payload, payload) }}', names)).roots]).toEqual([]);
});
