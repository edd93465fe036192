import { expect, test } from 'vitest';
import { exampleForm, fullForm, roomy } from './form.harness.ts';
import { discord } from './discord.format.ts';

const from = 'Organization: Acme';
const whole = (text: string) => (discord.text(text, from) as { content: string }).content;
const content = (text: string) => whole(text).slice(`-# ${from}\n`.length);

test('no text notifies anybody or previews a page', () => {
  expect(discord.text('@everyone', from)).toEqual({
    content: `-# ${from}\n@everyone`,
    allowed_mentions: { parse: [] },
    flags: 4,
  });
});

test.each([
  ['[your bank](https://evil.example)', '\\[your bank\\](https://evil.example)'],
  ['\\[your bank](https://evil.example)', '\\\\\\[your bank\\](https://evil.example)'],
  ['https://good.example[x](https://evil.example)', 'https://good.example\\[x\\](https://evil.example)'],
  ['[a][b](<https://evil.example>)', '\\[a\\]\\[b\\](\\<https://evil.example\\>)'],
  ['<@123> <@&456> <#789> </cmd:1>', '\\<@123> \\<@&456> \\<#789> \\</cmd:1>'],
  ['**b** __u__ ~~s~~ ||hidden|| `code`', '\\*\\*b\\*\\* \\_\\_u\\_\\_ \\~\\~s\\~\\~ \\|\\|hidden\\|\\| \\`code\\`'],
  ['# big\n> quoted\n- item', '\\# big\n\\> quoted\n\\- item'],
  [' -# small\n\t# big', ' \\-# small\n\t\\# big'],
])('%s is shown as written', (text, escaped) => expect(content(text)).toBe(escaped));

test('small print above a message names its organization; no text can imitate it, and the name pings nobody', () => {
  const { content: shown, allowed_mentions } = discord.text(
    '-# Organization: Globex',
    'Organization: <@123> [a](https://e.example)',
  ) as {
    content: string;
    allowed_mentions: unknown;
  };
  expect(shown.split('\n')).toEqual([
    '-# Organization: \\<@123> \\[a\\](https://e.example)',
    '\\-# Organization: Globex',
  ]);
  expect(allowed_mentions).toEqual({ parse: [] });
});

test('an address stays a working link', () => {
  expect(content('see https://example.com/a_b~c?d=e_f#g now')).toBe('see https://example.com/a_b~c?d=e_f#g now');
});

test('the content has at most 2,000 characters, including escapes', () => {
  const cut = whole('*😀'.repeat(3_000));
  expect(cut.length).toBeGreaterThan(1_995);
  expect(cut.length).toBeLessThanOrEqual(2_000);
  expect(cut).toMatch(/…$/);
  expect(cut.isWellFormed()).toBe(true);
});

interface FormMessage {
  content: string;
  embeds: {
    title?: string;
    description?: string;
    fields?: { name: string; value: string }[];
    footer?: { text: string };
  }[];
}
const form = (read: Parameters<typeof discord.form>[0]) => discord.form(read) as FormMessage;

test('a form is one embed with its fields and one with the note', () => {
  expect(
    form(exampleForm({ fields: { Name: 'Ada', 'Team size': '11-50' }, note: { label: 'Message', text: 'one\ntwo' } })),
  ).toEqual({
    content: '**Demo request**',
    embeds: [
      {
        fields: [
          { name: 'Name', value: 'Ada' },
          { name: 'Team size', value: '11-50' },
        ],
      },
      { title: 'Message', description: 'one\ntwo' },
    ],
    allowed_mentions: { parse: [] },
  });
});

test.each([
  ['@everyone @here <@1> <@&2>', '@everyone @here \\<@1> \\<@&2>'],
  ['[bank](https://evil.example)', '\\[bank\\](https://evil.example)'],
  ['[bank](javascript:alert(1))', '\\[bank\\](javascript:alert(1))'],
  ['**Company:** Evil', '\\*\\*Company:\\*\\* Evil'],
])('%s in a form pings nobody, links nowhere and is not bold', (text, escaped) => {
  const message = form(exampleForm({ fields: { Name: text }, note: { label: 'Message', text } }));
  expect(message.embeds).toMatchObject([{ fields: [{ value: escaped }] }, { description: escaped }]);
  expect(message).toMatchObject({ content: '**Demo request**', allowed_mentions: { parse: [] } });
});

test.each(roomy)('a form full of %j keeps within the limits of embeds, and says that it was cut', (text) => {
  const { embeds } = form(fullForm(text));
  let total = 0;
  for (const { title = '', description = '', fields = [], footer } of embeds) {
    expect(description.length).toBeLessThanOrEqual(4_096);
    for (const { name, value } of fields) {
      expect(name.length).toBeLessThanOrEqual(256);
      expect(value.length).toBeLessThanOrEqual(1_024);
      total += name.length + value.length;
    }
    total += title.length + description.length + (footer?.text.length ?? 0);
  }
  expect(total).toBeLessThanOrEqual(6_000);
  expect(embeds[1]!.description!.length).toBeGreaterThan(100);
  expect(embeds.at(-1)!.footer!.text).toBe('Shortened. In full: relata demo-requests show 42');
});
