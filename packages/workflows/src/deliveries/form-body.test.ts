import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isForm, jsonInForm, readWholeForm } from '@relata/schemas/form-body';
import { parseBody, readPayload } from './parse-body.ts';

const form = { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' };
const parse = (body: string | Buffer, headers = form) => parseBody({ body: Buffer.from(body), headers });

test('a form is an object of its fields, and a repeated name has the list of its values', () => {
  expect(parse('email=ada%40acme.example&tag=a&tag=b&name=Ada+Lovelace&empty=&bare')).toEqual({
    email: 'ada@acme.example',
    tag: ['a', 'b'],
    name: 'Ada Lovelace',
    empty: '',
    bare: '',
  });
  expect(parse('?a=1&?a=2')).toEqual({ '?a': ['1', '2'] });
  expect(Object.entries(parse('__proto__=1&constructor=2') as object)).toEqual([
    ['__proto__', '1'],
    ['constructor', '2'],
  ]);
});

test('a form of any length has the fields that URLSearchParams reads', () => {
  const field = fc.tuple(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary', maxLength: 3_000 }));
  fc.assert(
    fc.property(fc.array(field, { maxLength: 40 }), (given) => {
      const pairs = given.map(([name, value], i): [string, string] => [
        `${i}${name.toWellFormed()}`,
        value.toWellFormed(),
      ]);
      const text = new URLSearchParams(pairs).toString();
      expect(new Map(Object.entries(readWholeForm(text)))).toEqual(new Map(pairs));
    }),
  );
});

test('a form whose only field is `payload` with an object or list is that JSON', () => {
  const json = '{"id":820982911946154508}';
  expect(parse(`payload=${encodeURIComponent(json)}`)).toEqual({ id: 820982911946154508n });
  expect(jsonInForm(readWholeForm('payload=%5B1%5D'))).toBe('[1]');
  for (const other of ['payload=text', 'payload=%7B%7D&b=1', 'payload=%7B%7D&payload=%7B%7D', 'other=%7B%7D'])
    expect(jsonInForm(readWholeForm(other))).toBeUndefined();
});

test('only the content type of a form makes a body that is not JSON a form', () => {
  expect(isForm({ 'content-type': ' Application/X-WWW-Form-Urlencoded' })).toBe(true);
  for (const type of [
    undefined,
    '',
    'application/json',
    'text/plain; application/x-www-form-urlencoded',
    'multipart/form-data',
  ])
    expect(isForm({ 'content-type': type })).toBe(false);
  expect(readPayload({ body: Buffer.from('a=1'), headers: {} })).toBeUndefined();
  expect(parse('{"a":1}')).toEqual({ a: 1 });
});
