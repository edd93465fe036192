import { expect, test } from 'vitest';
import { customActivity } from './custom-activity.ts';
import { contact } from './resources/contact.ts';
import { readPart } from './validation.ts';

const unknownFields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 0]));

test('of very many unknown fields a thousand are explained and the others only counted, after every other problem', () => {
  const read = readPart('body', contact.create, { ...unknownFields(95_000), email: 'nonsense' });
  const others = read.details.filter(({ code }) => code !== 'unknown_field');
  expect(others.map(({ field }) => field)).toContain('email');
  expect(read.details.slice(0, others.length)).toEqual(others);
  expect(read.details.length - others.length).toBe(1_000);
  expect(read.unnamed).toBe(94_000);
});

test('unknown parameters of a query are bounded in the same way', () => {
  const read = readPart('query', contact.operations.list.query, unknownFields(5_000));
  expect([read.details.length, read.unnamed]).toEqual([1_000, 4_000]);
});

test('up to a thousand unknown fields are all named, also those with the names of built-in members', () => {
  const sent = JSON.parse('{"first_name":"Ada","constructor":1,"__proto__":1}');
  expect(readPart('body', contact.create, sent).details.map(({ field }) => field)).toEqual(
    expect.arrayContaining(['constructor', '__proto__']),
  );
  const many = JSON.parse(
    JSON.stringify({ x: unknownFields(2_000) })
      .replace('{"x":{', '{"__proto__":1,')
      .slice(0, -1),
  );
  const read = readPart('body', contact.create, many);
  expect(read.details).toContainEqual(expect.objectContaining({ field: '__proto__', code: 'unknown_field' }));
  expect(read.unnamed).toBe(1_001);
});

test('the elements of an array that is too long are not looked at', () => {
  const tags = Array.from({ length: 500_000 }, () => 0);
  const { details } = readPart('body', customActivity.create, { content: 'x', tags, contact_ids: tags });
  expect(details.map(({ field, code }) => [field, code])).toEqual([
    ['tags', 'too_many'],
    ['contact_ids', 'too_many'],
  ]);
});
