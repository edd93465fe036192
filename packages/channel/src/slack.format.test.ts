import { expect, test } from 'vitest';
import { formatSlack } from './slack.format.ts';

interface SlackMessage {
  text: string;
  blocks: { type: string; text: { type: string; text: string } }[];
}

const format = (text: string) => formatSlack(text) as SlackMessage;
const shown = ({ blocks }: SlackMessage) => blocks.map((block) => block.text.text).join('');

test.each([
  ['<!channel> <@U123>', '&lt;!channel&gt; &lt;@U123&gt;'],
  ['<https://evil.example|your bank>', '&lt;https://evil.example|your bank&gt;'],
  ['R&D &lt;!here&gt;', 'R&amp;D &amp;lt;!here&amp;gt;'],
  ['*bold* "quoted" \'single\'', '*bold* "quoted" \'single\''],
])('%s is neither mention nor link, in the block and in the notification', (text, escaped) => {
  const message = format(text);
  expect(message.blocks).toEqual([{ type: 'section', text: { type: 'plain_text', text: escaped, emoji: false } }]);
  expect(message).toMatchObject({ text: escaped, mrkdwn: false, unfurl_links: false, unfurl_media: false });
});

test('long text is spread over blocks without a loss, and never within an escape', () => {
  const text = '&😀'.repeat(3_333);
  const message = format(text);
  expect(shown(message).replaceAll('&amp;', '&')).toBe(text);
  expect(message.blocks.length).toBeLessThanOrEqual(50);
  for (const { text: block } of message.blocks) {
    expect(block.text.length).toBeLessThanOrEqual(3_000);
    expect(block.text).not.toMatch(/&(?!amp;)/);
    expect(block.text.isWellFormed()).toBe(true);
  }
});

test('the notification is cut to what Slack recommends', () => {
  const { text } = format('<'.repeat(10_000));
  expect(text).toBe(`${'&lt;'.repeat(999)}…`);
});
