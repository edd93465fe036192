import { expect, test } from 'vitest';
import { z } from 'zod';
import { customActivity } from '../custom-activity.ts';
import { account } from '../resources/account.ts';
import { contact } from '../resources/contact.ts';
import { opportunity } from '../resources/opportunity.ts';
import { readPart } from './validation.ts';

const unknownFields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 0]));

test('explains the first hundred problems, unknown fields last, and only counts the rest (found A1)', () => {
  const read = readPart('body', contact.create, { ...unknownFields(95_000), email: 'nonsense' }, 7);
  const others = read.details.filter(({ code }) => code !== 'unknown_field');
  expect(others.map(({ field }) => field)).toContain('email');
  expect(read.details.slice(0, others.length)).toEqual(others);
  expect(read.details.length).toBe(100);
  expect(read.details.length + read.unnamed).toBe(95_000 + others.length + 7);
});

test('explains only the first hundred of many wrong values and of many nested unknown fields (found A1)', () => {
  const ids = Array.from({ length: 1_000 }, () => 1);
  const wrong = readPart('body', customActivity.create, { content: 'x', contact_ids: ids, opportunity_ids: ids });
  expect([wrong.details.length, wrong.unnamed]).toEqual([100, 1_900]);
  expect(wrong.details[99]).toMatchObject({ field: 'contact_ids.99' });
  const below = readPart('body', account.upsert, { match: { domain: 'x.example' }, set: unknownFields(5_000) });
  expect([below.details.length, below.unnamed]).toEqual([100, 4_900]);
});

test('explains only the first hundred unknown parameters of a query', () => {
  const read = readPart('query', contact.operations.list.query, unknownFields(5_000));
  expect([read.details.length, read.unnamed]).toEqual([100, 4_900]);
});

test('names unknown fields that are called like built-in members', () => {
  const sent = JSON.parse('{"first_name":"Ada","constructor":1,"__proto__":1}');
  expect(readPart('body', contact.create, sent).details.map(({ field }) => field)).toEqual(
    expect.arrayContaining(['constructor', '__proto__']),
  );
  const many = JSON.parse(`{"__proto__":1,${JSON.stringify(unknownFields(2_000)).slice(1)}`);
  const read = readPart('body', contact.create, many);
  expect(read.details).toContainEqual(expect.objectContaining({ field: '__proto__', code: 'unknown_field' }));
});

test('does not check the elements of an array that is too long', () => {
  const tags = Array.from({ length: 500_000 }, () => 0);
  const { details } = readPart('body', customActivity.create, { content: 'x', tags, contact_ids: tags });
  expect(details.map(({ field, code }) => [field, code])).toEqual([
    ['tags', 'too_many'],
    ['contact_ids', 'too_many'],
  ]);
});

const detailOf = (sent: object, schema = contact.create) =>
  readPart('body', schema, { first_name: 'Ada', last_name: 'Lovelace', ...sent }).details[0];

const messageOf = (sent: object) => detailOf(sent)?.message;

test('suggests the closest name for an unknown field, or lists the known names', () => {
  expect(messageOf({ e_mail: 'x' })).toBe('Unknown field. Did you mean email?');
  expect(messageOf({ linkedIn: 'x' })).toMatch(/^Unknown field\. Available: first_name, middle_name, last_name, /);
  expect(messageOf({ crm_di: 'x' })).not.toContain('crm_id');
  expect(messageOf({ __proto: 'x'.repeat(10_000) })!.length).toBeLessThan(400);
});

test('suggests the only name that contains the unknown one as a word', () => {
  const ofAccount = (sent: object) => readPart('body', account.create, { account_name: 'x', ...sent }).details[0];
  expect(ofAccount({ name: 'x' })).toMatchObject({ suggestion: 'account_name' });
  expect(ofAccount({ owner: 'x' })?.message).toBe('Unknown field. Did you mean owner_id?');
  const [ofList] = readPart('query', opportunity.operations.list.query, { owner: 'x' }).details;
  expect(ofList).toMatchObject({ suggestion: 'owner_id' });
  expect(detailOf({ name: 'x' })).not.toHaveProperty('suggestion');
});

test('the error for ids separated by commas says how to give several ids', () => {
  const sent = { 'stage_id[in]': 'a,b' };
  const [detail] = readPart('query', opportunity.operations.list.query, sent).details;
  expect(detail?.message).toBe('Must be a UUID. Give the parameter again for each value.');
});

test('returns the values and names of a message as data, too', () => {
  const [wrong] = readPart('body', account.create, { account_name: 'x', relationship_type: 'friend' }).details;
  expect(wrong!.allowed).toEqual(['prospect', 'customer', 'partner', 'investor']);
  expect(wrong!.message).toBe(`Must be one of: ${wrong!.allowed!.join(', ')}.`);
  expect(detailOf({ e_mail: 'x' })).toMatchObject({ code: 'unknown_field', suggestion: 'email' });
  const unknown = detailOf({ linkedIn: 'x' })!;
  expect(unknown.message).toContain(`Available: ${unknown.allowed!.join(', ')}.`);
  expect(unknown).not.toHaveProperty('suggestion');
});

test('`allowed` has every known name, however many there are and however many names are unknown', () => {
  const { query } = opportunity.operations.list;
  const { details } = readPart('query', query, unknownFields(200));
  expect(details).toHaveLength(100);
  for (const { allowed } of details) expect(allowed).toEqual(Object.keys(query.shape));
  expect(details[0]!.message).toMatch(/^Unknown parameter\. Available: limit, .*, …\.$/);
  expect(JSON.stringify(details).length).toBeLessThan(131_072);
});

test('an empty value of a filter that accepts several values is refused, and the error lists the allowed values', () => {
  const { details } = readPart('query', account.operations.list.query, { 'sales_status[in]': '' });
  const [single] = readPart('query', account.operations.list.query, { sales_status: '' }).details;
  expect(single!.allowed!.length).toBeGreaterThan(1);
  expect(details).toEqual([{ ...single, field: 'sales_status[in]' }]);
});

test('suggests the closest parameter for an unknown one, if the operation has parameters', () => {
  const [detail] = readPart('query', contact.operations.list.query, { limits: '1' }).details;
  expect(detail!.message).toBe('Unknown parameter. Did you mean limit?');
  const [none] = readPart('query', z.strictObject({}), { limit: '1' }).details;
  expect(none!.message).toBe('Unknown parameter. No parameters are allowed here.');
});

test('compares only the first few unknown fields with the known names', () => {
  const { details } = readPart('body', contact.create, { first_name: 'A', last_name: 'B', ...unknownFields(90) });
  expect(details.filter(({ message }) => message !== 'Unknown field.')).toHaveLength(10);
});
