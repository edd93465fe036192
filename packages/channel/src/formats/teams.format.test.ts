import { expect, test } from 'vitest';
import { exampleForm, fullForm, roomy } from './form.harness.ts';
import { teams } from './teams.format.ts';

interface TeamsMessage {
  type: string;
  attachments: { contentType: string; content: { type: string; body: TeamsBlock[]; msteams?: unknown } }[];
}
interface TeamsBlock {
  type: string;
  inlines: { type: string; text: string; isSubtle?: boolean }[];
}

const from = 'Organization: Acme';
const format = (text: string) => teams.text(text, from) as TeamsMessage;
const lines = (message: TeamsMessage) =>
  message.attachments[0]!.content.body.slice(1).map(({ inlines }) => inlines[0]!.text);

test('a message is a card in the format that Workflows accept', () => {
  const message = format('Hello');
  expect(message).toMatchObject({
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content: { type: 'AdaptiveCard' } }],
  });
  expect(message.attachments[0]!.content).not.toHaveProperty('msteams');
});

test('text is written only in blocks without markup', () => {
  const { body } = format('**b** <at>Ada</at>\n[your bank](https://evil.example)').attachments[0]!.content;
  expect(body.map(({ type }) => type)).toEqual(Array(3).fill('RichTextBlock'));
  expect(body.flatMap(({ inlines }) => inlines.map(({ type }) => type))).toEqual(Array(3).fill('TextRun'));
});

test('a client that reads text as markup finds neither link nor template', () => {
  expect(lines(format('[your bank](https://evil.example) {{DATE(2026-01-01T00:00:00Z)}}'))).toEqual([
    '[your bank]\u200b(https://evil.example) {\u200b{DATE(2026-01-01T00:00:00Z)}}',
  ]);
});

test('grey text above a message names its organization; no text can imitate it, and the name links nowhere', () => {
  const { body } = (
    teams.text('Organization: Globex', 'Organization: [a](https://evil.example) <at>Ada</at>') as TeamsMessage
  ).attachments[0]!.content;
  expect(body.map(({ type, inlines: [run] }) => [type, run!.text, run!.isSubtle])).toEqual([
    ['RichTextBlock', 'Organization: [a]\u200b(https://evil.example) <at>Ada</at>', true],
    ['RichTextBlock', 'Organization: Globex', undefined],
  ]);
});

test('every line is kept, even without text', () =>
  expect(lines(format('one\n\nthree'))).toEqual(['one', '\u00a0', 'three']));

test.each(['\n', '界', '"', ']('])('a message of only %j has at most 20,000 bytes', (text) => {
  const message = format(`a${text.repeat(10_000)}`);
  expect(Buffer.byteLength(JSON.stringify(message))).toBeLessThanOrEqual(20_000);
  expect(lines(message).at(-1)).toMatch(/…$/);
});

interface Run {
  type: string;
  text: string;
  weight?: string;
}
const runsOf = (form: Parameters<typeof teams.form>[0]) =>
  (teams.form(form) as TeamsMessage).attachments[0]!.content.body.map(({ inlines }) => inlines as Run[]);

test('a form has a row with a bold label for each field, and the note with its line breaks', () => {
  const rows = runsOf(
    exampleForm({ fields: { Name: 'Ada', Company: 'Acme' }, note: { label: 'Message', text: 'one\n\ntwo' } }),
  );
  expect(rows.map((row) => row.map(({ text }) => text))).toEqual([
    ['Demo request'],
    ['Name: ', 'Ada'],
    ['Company: ', 'Acme'],
    ['Message'],
    ['one'],
    ['\u00a0'],
    ['two'],
  ]);
});

test('only our own words are bold, whatever a visitor writes', () => {
  const text = '**Company:** Evil [bank](javascript:alert(1)) <at>Ada</at> {{DATE()}}';
  const form = exampleForm({ fields: { Name: text }, note: { label: 'Message', text: `x\nCompany: Evil\n${text}` } });
  const runs = runsOf(form).flat();
  expect(new Set(runs.map(({ type }) => type))).toEqual(new Set(['TextRun']));
  expect(runs.filter(({ weight }) => weight === 'Bolder').map((run) => run.text)).toEqual([
    'Demo request',
    'Name: ',
    'Message',
  ]);
  expect(JSON.stringify(runs)).not.toMatch(/\]\(|\{\{/);
  expect(JSON.stringify(teams.form(form))).not.toContain('msteams');
});

test.each(roomy)('a form full of %j has at most 20,000 bytes, and says that it was cut', (text) => {
  const form = fullForm(text);
  expect(Buffer.byteLength(JSON.stringify(teams.form(form)))).toBeLessThanOrEqual(20_000);
  expect(runsOf(form).at(-1)![0]!.text).toBe('Shortened. In full: relata demo-requests show 42');
});
