import { expect, test } from 'vitest';
import { exampleForm, fullForm, roomy } from './form.harness.ts';
import { slack } from './slack.format.ts';

interface SlackMessage {
  text: string;
  blocks: { type: string; text?: { type: string; text: string }; elements?: unknown }[];
}

const from = 'Organization: Acme';
const format = (text: string) => slack.text(text, from) as SlackMessage;
const textsOf = ({ blocks }: SlackMessage) => blocks.slice(1).map((block) => block.text!.text);

test.each([
  ['<!channel> <@U123>', '&lt;!channel&gt; &lt;@U123&gt;'],
  ['<https://evil.example|your bank>', '&lt;https://evil.example|your bank&gt;'],
  ['R&D &lt;!here&gt;', 'R&amp;D &amp;lt;!here&amp;gt;'],
  ['*bold* "quoted" \'single\'', '*bold* "quoted" \'single\''],
])('%s is neither mention nor link, in the block and in the notification', (text, escaped) => {
  const message = format(text);
  expect(message.blocks.slice(1)).toEqual([
    { type: 'section', text: { type: 'plain_text', text: escaped, emoji: false } },
  ]);
  expect(message).toMatchObject({
    text: `${from}\n${escaped}`,
    mrkdwn: false,
    unfurl_links: false,
    unfurl_media: false,
  });
});

test('long text is split into blocks without loss, and never within an escape', () => {
  const text = '&😀'.repeat(3_333);
  const message = format(text);
  expect(textsOf(message).join('').replaceAll('&amp;', '&')).toBe(text);
  expect(message.blocks.length).toBeLessThanOrEqual(50);
  for (const block of textsOf(message)) {
    expect(block.length).toBeLessThanOrEqual(3_000);
    expect(block).not.toMatch(/&(?!amp;)/);
    expect(block.isWellFormed()).toBe(true);
  }
});

test('the notification is no longer than Slack recommends', () => {
  const { text } = format('<'.repeat(10_000));
  expect(text).toBe(`${from}\n${'&lt;'.repeat(995)}…`);
});

test('a block above the message names the organization; the name neither pings nor links', () => {
  const { text, blocks } = slack.text(
    'Organization: Globex',
    'Organization: <!channel> <https://e.example|b>',
  ) as SlackMessage;
  const escaped = 'Organization: &lt;!channel&gt; &lt;https://e.example|b&gt;';
  expect(blocks[0]).toEqual({ type: 'context', elements: [{ type: 'plain_text', text: escaped, emoji: false }] });
  expect(blocks.slice(1).map(({ type }) => type)).toEqual(['section']);
  expect(text.split('\n')[0]).toBe(escaped);
});

interface Text {
  type: string;
  text: string;
}
interface FormBlock {
  type: string;
  text?: Text;
  fields?: Text[];
  elements?: Text[];
}
const blocksOf = (form: Parameters<typeof slack.form>[0]) => (slack.form(form) as { blocks: FormBlock[] }).blocks;

test('a form has a header, labels next to their values, and the note with its line breaks', () => {
  const form = exampleForm({ fields: { Name: 'Ada', Company: 'R&D' }, note: { label: 'Message', text: 'one\ntwo' } });
  const plain = (text: string) => ({ type: 'plain_text', text, emoji: false });
  const bold = (text: string) => ({ type: 'mrkdwn', text: `*${text}*`, verbatim: true });
  expect(blocksOf(form)).toEqual([
    { type: 'header', text: plain('Demo request') },
    { type: 'section', fields: [bold('Name'), plain('Ada'), bold('Company'), plain('R&amp;D')] },
    { type: 'section', text: bold('Message') },
    { type: 'section', text: plain('one\ntwo') },
  ]);
  expect(slack.form(form)).toMatchObject({ text: 'Demo request\nName: Ada\nCompany: R&amp;D\nMessage: one two' });
});

test.each([
  '<!channel> <!here> <@U123> <!subteam^S1>',
  '<https://evil.example|bank>',
  '<javascript:alert(1)|bank>',
  '*Label*',
])('%s in a form is plain text with escaped brackets, and never markup', (text) => {
  const form = exampleForm({ fields: { Name: text }, note: { label: 'Message', text } });
  const escaped = text.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const texts = blocksOf(form).flatMap((block) =>
    [block.text, ...(block.fields ?? [])].filter((one) => one !== undefined),
  );
  expect(texts.filter(({ type }) => type === 'plain_text').map((one) => one.text)).toEqual([
    'Demo request',
    escaped,
    escaped,
  ]);
  expect(texts.filter(({ type }) => type === 'mrkdwn').map((one) => one.text)).toEqual(['*Name*', '*Message*']);
  expect((slack.form(form) as Text).text).not.toMatch(/[<>]/);
});

test.each(roomy)('a form full of %j keeps within the limits of every block, and says that it was cut', (text) => {
  const blocks = blocksOf(fullForm(text));
  expect(blocks.length).toBeLessThanOrEqual(50);
  expect(blocks[0]!.text!.text.length).toBeLessThanOrEqual(150);
  for (const { text: block, fields = [] } of blocks) {
    expect(block?.text.length ?? 0).toBeLessThanOrEqual(3_000);
    expect(fields.length).toBeLessThanOrEqual(10);
    for (const field of fields) expect(field.text.length).toBeLessThanOrEqual(2_000);
  }
  expect(blocks.at(-1)!.elements![0]!.text).toBe('Shortened. In full: relata demo-requests show 42');
});

test('the longest value, all ampersands, exactly fills a field of 2,000 characters', () => {
  const [, section] = blocksOf(exampleForm({ fields: { Name: '&'.repeat(2_048) } }));
  expect(section!.fields![1]!.text).toBe(`${'&amp;'.repeat(399)}…`);
});
