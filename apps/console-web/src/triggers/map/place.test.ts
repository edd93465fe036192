import { expect, test } from 'vitest';
import { comparisonText, headers, isMappable, payload, placeIn, suggestFor } from './place.ts';
import { jsonOf, readPayload } from '../../ui/text/json.ts';
import { inputOptions, toMapping, textOfSource } from './source-text.ts';

test('a value has a path for inputs and an expression for filters', () => {
  const line = placeIn(placeIn(placeIn(payload, 'lines'), 0), 'unit price');
  expect(line).toEqual({ path: 'payload.lines.0.unit price', expression: 'payload.lines[0]["unit price"]' });
  expect(placeIn(payload, 'in').expression).toBe('payload["in"]');
  expect(placeIn(headers, 'x-event')).toEqual({ path: 'headers.x-event', expression: 'delivery.headers["x-event"]' });
  expect(comparisonText(placeIn(payload, 'event'), 'a"b')).toBe(String.raw`payload.event == "a\"b"`);
  expect(comparisonText(placeIn(payload, 'text'), 'x'.repeat(200))).toBe('payload.text');
});

test('a whole number beyond 2^53 keeps all its digits as a value, in a comparison and as a constant', () => {
  const { id } = readPayload('{"id":820982911946154508,"half":0.5,"big":1e300}', {})!.value as { id: unknown };
  expect(jsonOf(id)).toBe('820982911946154508');
  expect(comparisonText(placeIn(payload, 'id'), id)).toBe('payload.id == 820982911946154508');
  expect(toMapping({ id: '= 820982911946154508' })).toEqual({ id: { const: '820982911946154508' } });
});

test('a value with an empty part in its path or a too long path, and all headers together, cannot be mapped', () => {
  expect(isMappable(placeIn(payload, ''))).toBe(false);
  expect(isMappable(placeIn(payload, 'a..b'))).toBe(false);
  expect(isMappable(placeIn(payload, 'x'.repeat(1_000)))).toBe(false);
  expect(isMappable(headers)).toBe(false);
  expect(isMappable(placeIn(payload, 'a'))).toBe(true);
});

test('the outermost value whose key equals the name of an input is suggested for it', () => {
  const sample = { user: { Email: 'a@x.example', company: { name: 'X' } }, items: [{ first_name: 'Ada' }] };
  expect(suggestFor('email', sample)?.path).toBe('payload.user.Email');
  expect(suggestFor('firstName', sample)?.path).toBe('payload.items.0.first_name');
  expect(suggestFor('company', sample)).toBeUndefined();
});

test('a value is not suggested if its path leads to another value, because a key contains dots', () => {
  expect(suggestFor('email', { user: { email: 'a@x.example' }, 'user.email': {} })).toBeUndefined();
  expect(suggestFor('email', { user: { email: 'a@x.example' }, 'user.name': 5 })?.path).toBe('payload.user.email');
});

test('the text of a field is a path, or = and a constant; the text of a saved constant is read as the same constant', () => {
  expect(toMapping({ title: ' payload.E-mail ' })).toEqual({ title: 'payload.E-mail ' });
  const mapped = toMapping({ a: ' payload.a', b: '= "website"', c: '= 5', d: '= website', e: '  ' });
  expect(mapped).toEqual({ a: 'payload.a', b: { const: 'website' }, c: { const: 5 }, d: { const: 'website' } });
  expect(toMapping({ x: textOfSource({ const: { a: ['1'] } }) })).toEqual({ x: { const: { a: ['1'] } } });
  expect(inputOptions(mapped)).toEqual([
    '--input',
    'a=payload.a',
    '--input',
    'b:="website"',
    '--input',
    'c:=5',
    '--input',
    'd:="website"',
  ]);
});
