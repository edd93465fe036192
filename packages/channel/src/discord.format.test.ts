import { expect, test } from 'vitest';
import { formatDiscord } from './discord.format.ts';

const content = (text: string) => (formatDiscord(text) as { content: string }).content;

test('whatever the text holds, nobody is notified and no page is previewed', () => {
  expect(formatDiscord('@everyone')).toEqual({ content: '@everyone', allowed_mentions: { parse: [] }, flags: 4 });
});

test.each([
  ['[your bank](https://evil.example)', '\\[your bank\\](https://evil.example)'],
  ['\\[your bank](https://evil.example)', '\\\\\\[your bank\\](https://evil.example)'],
  ['https://good.example[x](https://evil.example)', 'https://good.example\\[x\\](https://evil.example)'],
  ['[a][b](<https://evil.example>)', '\\[a\\]\\[b\\](\\<https://evil.example\\>)'],
  ['<@123> <@&456> <#789> </cmd:1>', '\\<@123> \\<@&456> \\<#789> \\</cmd:1>'],
  ['**b** __u__ ~~s~~ ||hidden|| `code`', '\\*\\*b\\*\\* \\_\\_u\\_\\_ \\~\\~s\\~\\~ \\|\\|hidden\\|\\| \\`code\\`'],
  ['# big\n> quoted\n- item', '\\# big\n\\> quoted\n\\- item'],
])('%s is shown as it is written', (text, escaped) => expect(content(text)).toBe(escaped));

test('an address stays one that can be followed', () => {
  expect(content('see https://example.com/a_b~c?d=e_f#g now')).toBe('see https://example.com/a_b~c?d=e_f#g now');
});

test('the content ends within 2,000 characters, escapes included', () => {
  const cut = content('*😀'.repeat(3_000));
  expect(cut.length).toBeGreaterThan(1_995);
  expect(cut.length).toBeLessThanOrEqual(2_000);
  expect(cut).toMatch(/…$/);
  expect(cut.isWellFormed()).toBe(true);
});
