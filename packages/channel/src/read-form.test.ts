import { expect, test } from 'vitest';
import { ChannelError } from './channel.error.ts';
import { exampleForm } from './formats/form.harness.ts';

const valueOf = (value: string) => exampleForm({ fields: { Name: value, Company: 'Acme' } }).fields[0]!.value;

test.each([
  ['a line break', 'Ada\nCompany: Evil'],
  ['a carriage return', 'Ada\rCompany: Evil'],
  ['a line separator', 'Ada\u2028Company: Evil'],
  ['a paragraph separator', 'Ada\u2029Company: Evil'],
  ['a row of spaces', `Ada${' '.repeat(400)}Company: Evil`],
  ['a row of wide spaces', `Ada${'\u3000\u00a0\u2003\t'.repeat(90)}Company: Evil`],
])('%s inside a value adds no line that could pass for another field', (_what, value) =>
  expect(valueOf(value)).toBe('Ada Company: Evil'),
);

test.each([
  ['direction overrides', 'Ada \u202egro.live\u202c\u2066!\u2069', 'Ada gro.live!'],
  ['zero-width characters', '\ufeffA\u200bd\u2060a\u00ad\u{e0041}', 'Ada'],
  ['controls', 'A\u0000d\u001ba\u0085', 'Ada'],
  ['half a surrogate pair', 'Ada \ud83d', 'Ada \ufffd'],
])('a value is shown without %s', (_what, value, shown) => expect(valueOf(value)).toBe(shown));

test('characters that join scripts and emoji are kept', () => {
  for (const joined of ['می\u200cخواهم', '👩\u200d💻']) expect(valueOf(joined)).toBe(joined);
});

test.each(['', ' \n\t', '\u200b\ufeff', '\u3164\u115f\u2800', '\u200d'])(
  'a value without visible characters, %j, is left out',
  (blank) => {
    const { fields, note, isCut } = exampleForm({
      fields: { Name: blank, Company: 'Acme' },
      note: { label: 'Message', text: blank },
    });
    expect({ fields, note, isCut }).toEqual({
      fields: [{ label: 'Company', value: 'Acme' }],
      note: undefined,
      isCut: false,
    });
  },
);

test('a long value is cut, and the form says so', () => {
  const { fields, isCut } = exampleForm({ fields: { Name: '😀'.repeat(255), Company: 'Acme' } });
  expect(fields[0]!.value).toBe(`${'😀'.repeat(199)}…`);
  expect(isCut).toBe(true);
  expect(exampleForm({ fields: { Name: 'x'.repeat(400) } }).isCut).toBe(false);
});

test('a note keeps its lines', () => {
  const { note } = exampleForm({ note: { label: 'Message', text: ' one\r\n\r\n  two ' } });
  expect(note).toEqual({ label: 'Message', text: 'one\n\n  two' });
});

const eleven = Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`Field ${i}`, 'x']));

test.each([
  ['nothing to show', { fields: { Name: '\u200b' } }],
  ['nothing to show', { fields: {} }],
  ['more than 10 fields', { fields: eleven }],
  ['empty or over 30 characters', { title: 'x'.repeat(31) }],
  ['empty or over 40 characters', { fields: { '': 'Ada' } }],
  ['empty or over 100 characters', { whole: '' }],
])('a form with %s is refused before anything is sent (%#)', (fault, parts) => {
  expect(() => exampleForm(parts)).toThrow(ChannelError);
  expect(() => exampleForm(parts)).toThrow(fault);
});
