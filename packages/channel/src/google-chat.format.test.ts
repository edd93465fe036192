import { expect, test } from 'vitest';
import { formatGoogleChat } from './google-chat.format.ts';

test.each([
  ['<users/all>', '‹users/all›'],
  ['<https://evil.example|your bank>', '‹https://evil.example|your bank›'],
  ['Ada <ada@example.com> & https://example.com/?a=b', 'Ada ‹ada@example.com› & https://example.com/?a=b'],
])('%s is neither mention nor link', (text, inert) => expect(formatGoogleChat(text)).toEqual({ text: inert }));

test('a message ends within 32,000 bytes', () => {
  const { text } = formatGoogleChat('\n<😀'.repeat(5_000)) as { text: string };
  const bytes = Buffer.byteLength(JSON.stringify({ text }));
  expect(bytes).toBeLessThanOrEqual(32_000);
  expect(bytes).toBeGreaterThan(31_980);
  expect(text).toMatch(/…$/);
});
