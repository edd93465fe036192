import { expect, test } from 'vitest';
import { parseAnswerPart } from './answer-part.ts';

test.each([
  [
    { type: 'text-delta', id: 't', delta: 'Hi', providerMetadata: {} },
    { type: 'text-delta', delta: 'Hi' },
  ],
  [
    { type: 'source-url', sourceId: '1', url: 'https://a.example', title: 'A' },
    { type: 'source', source: { id: '1', url: 'https://a.example', title: 'A' } },
  ],
  [
    { type: 'source-url', sourceId: '1', url: 'https://a.example' },
    { type: 'source', source: { id: '1', url: 'https://a.example', title: '' } },
  ],
  [
    { type: 'tool-input-available', toolName: 'offer_demo', input: { name: 'Ada' } },
    { type: 'demo', input: { name: 'Ada' } },
  ],
  [
    { type: 'tool-input-available', toolName: 'offer_demo', input: 'nonsense' },
    { type: 'demo', input: {} },
  ],
  [
    { type: 'data-contact', data: { reason: 'unanswered', more: 1 } },
    { type: 'contact', reason: 'unanswered' },
  ],
  [
    { type: 'data-contact', data: { reason: 'person' } },
    { type: 'contact', reason: 'person' },
  ],
  [{ type: 'error', errorText: 'The inside of the server' }, { type: 'error' }],
  [{ type: 'finish', finishReason: 'stop' }, { type: 'finish' }],
  [
    { type: 'finish', finishReason: 'length' },
    { type: 'finish', isAtLimit: true },
  ],
  [{ type: 'finish', finishReason: { unified: 'length' } }, { type: 'finish' }],
])('parses %j', (part, meaning) => {
  expect(parseAnswerPart(JSON.stringify(part))).toEqual(meaning);
});

test.each([
  { type: 'tool-input-available', toolName: 'delete_everything', input: {} },
  { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{' },
  { type: 'text-delta', delta: 7 },
  { type: 'source-url', sourceId: 1, url: 'https://a.example' },
  { type: 'data-new', data: 1 },
  { type: 'data-contact', data: { reason: 'whim' } },
  { type: 'data-contact', data: null },
  { type: '__proto__' },
  { type: 'constructor' },
  {},
  [],
  null,
  'text',
  7,
])('ignores %j', (part) => {
  expect(parseAnswerPart(JSON.stringify(part))).toBeUndefined();
});
