import { expect, test } from 'vitest';
import { readSlackMessage } from './slack-message.ts';

const plain = (text: string) => ({ type: 'plain_text', text });
const bold = (text: string) => ({ type: 'mrkdwn', text: `*${text}*` });

test('the texts of the blocks are read in order, and the text for notifications is left out', () => {
  const blocks = [
    { type: 'header', text: plain('New demo request') },
    { type: 'section', fields: [bold('Name'), plain('Ada *A*'), bold('Company'), plain('R&amp;D &lt;Ltd&gt;')] },
    { type: 'section', text: bold('Message') },
    { type: 'section', text: plain('*one*\ntwo') },
    { type: 'divider' },
    { type: 'context', elements: [plain('kept as 0197')] },
  ];
  expect(readSlackMessage({ text: 'Ada', blocks })).toEqual([
    'New demo request',
    'Name           Ada *A*',
    'Company        R&D <Ltd>',
    'Message',
    '*one*',
    'two',
    'kept as 0197',
  ]);
});

test('the text of a message without blocks is read', () => {
  expect(readSlackMessage({ text: 'one\r\ntwo' })).toEqual(['one', 'two']);
});

test('text that looks like an escape is shown as its author wrote it', () => {
  expect(readSlackMessage({ text: '&amp;lt;script&amp;gt;' })).toEqual(['&lt;script&gt;']);
});

test.each([
  undefined,
  null,
  7,
  'text',
  [],
  {},
  { text: '' },
  { text: ' \n ' },
  { text: 7 },
  { text: { text: 7 } },
  { blocks: 'all' },
  { blocks: [null, 7, [], { type: 'divider' }] },
])('%j is not a message', (body) => {
  expect(readSlackMessage(body)).toBeUndefined();
});
