import { expect, test } from 'vitest';
import { chatRequest } from './chat-request.ts';
import { createMessage, type Message } from './message.ts';

const textsOf = (messages: Message[]) =>
  chatRequest('session', messages).messages.map(({ role, parts }) => `${role}: ${parts[0]!.text}`);

const talk = (turns: number, text = 'x') =>
  Array.from({ length: turns }, (_, turn) => createMessage(turn % 2 === 0 ? 'user' : 'assistant', `${turn} ${text}`));

test('a request has the shape of the transport of the AI SDK', () => {
  const question = createMessage('user', 'Hi');
  expect(chatRequest('session', [question])).toEqual({
    id: 'session',
    messages: [{ id: question.id, role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
    trigger: 'submit-message',
    session_id: 'session',
  });
});

test('the newest 40 messages are sent, beginning with one of the visitor', () => {
  const texts = textsOf(talk(101));
  expect(texts).toHaveLength(39);
  expect(texts[0]).toBe('user: 62 x');
  expect(texts.at(-1)).toBe('user: 100 x');
});

test('a long conversation loses its oldest turns, never its newest', () => {
  const { messages } = chatRequest('session', talk(31, 'x'.repeat(3_990)));
  expect(messages.at(-1)!.parts[0]!.text).toMatch(/^30 x/);
  expect(messages[0]!.role).toBe('user');
  expect(JSON.stringify(messages).length).toBeLessThan(64_000);
});

test('a pasted text is cut at 4,000 characters, without characters that cannot be stored', () => {
  const [first, second] = textsOf([createMessage('user', 'x'.repeat(9_999)), createMessage('user', 'a\u0000b\ud800')]);
  expect(first).toHaveLength('user: '.length + 4_000);
  expect(second).toBe('user: ab\ufffd');
});

test("the widget's own messages, and answers without text, are not sent", () => {
  const own = createMessage('assistant', 'Tell us how to reach you', { isOwn: true });
  const demo = createMessage('assistant', '', { demo: { input: {}, state: 'sent' } });
  expect(textsOf([createMessage('user', 'a'), demo, own, createMessage('user', 'b')])).toEqual(['user: a', 'user: b']);
});
