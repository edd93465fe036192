import { expect, test } from 'vitest';
import { exampleForm, fullForm, roomy } from './form.harness.ts';
import { googleChat } from './google-chat.format.ts';

const from = 'Organization: Acme';

test.each([
  ['<users/all>', '‹users/all›'],
  ['<https://evil.example|your bank>', '‹https://evil.example|your bank›'],
  ['Ada <ada@example.com> & https://example.com/?a=b', 'Ada ‹ada@example.com› & https://example.com/?a=b'],
])('%s is neither mention nor link', (text, inert) =>
  expect(googleChat.text(text, from)).toMatchObject({ text: inert }),
);

test('a message has at most 32,000 bytes', () => {
  const message = googleChat.text('\n<😀'.repeat(5_000), from) as { text: string };
  const { text } = message;
  const bytes = Buffer.byteLength(JSON.stringify(message));
  expect(bytes).toBeLessThanOrEqual(32_000);
  expect(bytes).toBeGreaterThan(31_980);
  expect(text).toMatch(/…$/);
});

test('a card, which no text can create, names the organization; the name neither pings nor links', () => {
  const hostile = 'Organization: <users/all> <a href="https://e.example">b</a> &lt;';
  const { text, cardsV2 } = googleChat.text('*Organization: Globex*', hostile) as { text: string; cardsV2: unknown };
  const textParagraph = { text: 'Organization: ‹users/all› ‹a href="https://e.example"›b‹/a› &\u200blt;' };
  expect(text).toBe('*Organization: Globex*');
  expect(cardsV2).toEqual([{ cardId: 'from', card: { sections: [{ widgets: [{ textParagraph }] }] } }]);
});

interface Card {
  header: { title: string };
  sections: { widgets: { decoratedText?: { topLabel: string; text: string }; textParagraph?: { text: string } }[] }[];
}
interface FormMessage {
  cardsV2: { card: Card }[];
  fallbackText: string;
}
const form = (read: Parameters<typeof googleChat.form>[0]) => googleChat.form(read) as FormMessage;
const widgetsOf = (message: FormMessage) => message.cardsV2[0]!.card.sections[0]!.widgets;

test('a form is a card with a label over each value, and the note with its lines', () => {
  const message = form(
    exampleForm({ fields: { Name: 'Ada', Company: 'R & D' }, note: { label: 'Message', text: 'one\n\ntwo' } }),
  );
  expect(message.cardsV2[0]!.card.header).toEqual({ title: 'Demo request' });
  expect(widgetsOf(message)).toEqual([
    { decoratedText: { topLabel: 'Name', text: 'Ada', wrapText: true } },
    { decoratedText: { topLabel: 'Company', text: 'R & D', wrapText: true } },
    { decoratedText: { topLabel: 'Message', text: 'one<br><br>two', wrapText: true } },
  ]);
  expect(message.fallbackText).toBe('Demo request\nName: Ada\nCompany: R & D\nMessage: one two');
  expect(message).not.toHaveProperty('text');
});

test.each([
  '<users/all>',
  '<a href="https://evil.example">bank</a>',
  '<a href="javascript:alert(1)">bank</a>',
  '<https://evil.example|bank>',
  '&lt;b&gt;Company&#60;/b&#x3e;',
])('%s in a form leaves no tag, no mention, and nothing that is read as a bracket', (text) => {
  const message = form(exampleForm({ fields: { Name: text }, note: { label: 'Message', text } }));
  for (const { decoratedText } of widgetsOf(message)) expect(decoratedText!.text).not.toMatch(/[<>]|&[#\w]/);
  expect(message.fallbackText).not.toMatch(/[<>]/);
});

test.each(roomy)('a form full of %j has at most 32,000 bytes, and says that it was cut', (text) => {
  const message = form(fullForm(text));
  expect(Buffer.byteLength(JSON.stringify(message))).toBeLessThanOrEqual(32_000);
  expect(widgetsOf(message).at(-1)!.textParagraph!.text).toBe('Shortened. In full: relata demo-requests show 42');
});
