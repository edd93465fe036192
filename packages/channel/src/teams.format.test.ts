import { expect, test } from 'vitest';
import { formatTeams } from './teams.format.ts';

interface TeamsMessage {
  type: string;
  attachments: { contentType: string; content: { type: string; body: TeamsBlock[]; msteams?: unknown } }[];
}
interface TeamsBlock {
  type: string;
  inlines: { type: string; text: string }[];
}

const format = (text: string) => formatTeams(text) as TeamsMessage;
const lines = (message: TeamsMessage) => message.attachments[0]!.content.body.map(({ inlines }) => inlines[0]!.text);

test('a message is a card in the form that Workflows take', () => {
  const message = format('Hello');
  expect(message).toMatchObject({
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content: { type: 'AdaptiveCard' } }],
  });
  expect(message.attachments[0]!.content).not.toHaveProperty('msteams');
});

test('text stands only in blocks that take no markup', () => {
  const { body } = format('**b** <at>Ada</at>\n[your bank](https://evil.example)').attachments[0]!.content;
  expect(body.map(({ type }) => type)).toEqual(['RichTextBlock', 'RichTextBlock']);
  expect(body.flatMap(({ inlines }) => inlines.map(({ type }) => type))).toEqual(['TextRun', 'TextRun']);
});

test('a client that takes it for markup finds neither link nor template', () => {
  expect(lines(format('[your bank](https://evil.example) {{DATE(2026-01-01T00:00:00Z)}}'))).toEqual([
    '[your bank]\u200b(https://evil.example) {\u200b{DATE(2026-01-01T00:00:00Z)}}',
  ]);
});

test('every line is kept, those without text too', () =>
  expect(lines(format('one\n\nthree'))).toEqual(['one', '\u00a0', 'three']));

test.each(['\n', '界', '"', ']('])('a message of nothing but %j ends within 20,000 bytes', (text) => {
  const message = format(`a${text.repeat(10_000)}`);
  expect(Buffer.byteLength(JSON.stringify(message))).toBeLessThanOrEqual(20_000);
  expect(lines(message).at(-1)).toMatch(/…$/);
});
