import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonLeaves } from './json-leaves.ts';
import { previewFields } from './preview-fields.ts';

const shown = (body: unknown, mapped: string[] = [], headers: Record<string, string> = {}) =>
  previewFields({ body: typeof body === 'string' ? body : JSON.stringify(body), headers }, new Set(mapped)).map(
    ({ path, value }) => `${path}=${value}`,
  );

test('an e-mail and the event come before other fields, whatever their order (found B9)', () => {
  const body = { id: 7, page: '/pricing', user: { name: 'Ada', email: 'ada@acme.example' }, event: 'form.sent' };
  expect(shown(body)).toEqual(['payload.user.email=ada@acme.example', 'payload.event=form.sent']);
  expect(shown({ a: 1, b: { title: 'Robots' }, c: 2 })).toEqual(['payload.b.title=Robots', 'payload.a=1']);
  expect(shown({ amount: 12.5, currency: 'CHF' })).toEqual(['payload.amount=12.5', 'payload.currency=CHF']);
});

test('mapped fields come before all others (found B9)', () => {
  const body = { email: 'ada@acme.example', event: 'x', order: { total: '12', ref: 'A-1' } };
  const mapped = ['payload.order.ref', 'payload.order.total', 'payload.none'];
  expect(shown(body, mapped)).toEqual(['payload.order.total=12', 'payload.order.ref=A-1']);
  expect(shown(body, ['payload.order.ref'])).toEqual(['payload.order.ref=A-1', 'payload.email=ada@acme.example']);
});

test('a header that names the event counts, other headers do not (found B9)', () => {
  const headers = { 'content-type': 'application/json', 'x-github-event': 'issues', 'user-agent': 'GitHub' };
  expect(shown({ issue: { title: 'It breaks' } }, [], headers)).toEqual([
    'headers.x-github-event=issues',
    'payload.issue.title=It breaks',
  ]);
});

test('a value is one line of at most 80 characters, and equal values appear once (found B9)', () => {
  const long = `${'ä'.repeat(79)}😀 and more`;
  expect(shown({ name: ` ${long}`, title: 'two\n lines' })).toEqual([
    `payload.name=${'ä'.repeat(79)}…`,
    'payload.title=two lines',
  ]);
  expect(shown({ email: 'a@b.example', from_email: 'a@b.example', name: '' })).toEqual(['payload.email=a@b.example']);
});

test('a body that is cut anywhere yields its complete values and never fails (found B9)', () => {
  const body = JSON.stringify({ n: 1234, email: 'ada@acme.example', list: [{ a: 'x' }, 'y', null, true], end: 'z' });
  for (let length = 0; length <= body.length; length++) {
    for (const { keys, text } of jsonLeaves(body.slice(0, length))) {
      const whole = keys.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], JSON.parse(body));
      expect(String(whole)).toBe(text);
    }
  }
  expect(shown('{"a":'.repeat(2_000))).toEqual([]);
  expect(shown(`{"text":"${'x'.repeat(4_000)}`)).toEqual([]);
});

test('a complete body yields all scalar values with their keys (found B9)', () => {
  const leaves = (value: unknown, keys: (string | number)[] = []): [string, string][] => {
    if (value === null) return [];
    if (typeof value !== 'object')
      return [[JSON.stringify(keys), typeof value === 'string' ? value : JSON.stringify(value)]];
    const entries: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
    return entries.flatMap(([key, child]) => leaves(child, [...keys, key]));
  };
  fc.assert(
    fc.property(fc.json(), (json) => {
      const found = [...jsonLeaves(`[${json}]`)].map(({ keys, text }) => [JSON.stringify(keys), text]);
      expect(found).toEqual(leaves([JSON.parse(json)]).map(([keys, text]) => [keys, text]));
    }),
  );
});

test('text that is not JSON yields some values or none and never fails (found B9)', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void shown(text)));
  expect(shown('email=ada%40acme.example')).toEqual([]);
});
