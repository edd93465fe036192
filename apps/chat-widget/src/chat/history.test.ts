import { expect, test } from 'vitest';
import { type HistoryStorage, loadHistory, saveHistory } from './history.ts';
import { createMessage } from './message.ts';

function memory(kept?: string): HistoryStorage & { text: string | null } {
  const storage = {
    text: kept ?? null,
    getItem: () => storage.text,
    setItem: (_name: string, text: string) => void (storage.text = text),
    removeItem: () => void (storage.text = null),
  };
  return storage;
}

const kept = (storage: HistoryStorage) => loadHistory(storage, 'chat');

test('a stored conversation is loaded unchanged', () => {
  const storage = memory();
  const sources = [{ id: '1', title: 'A', url: 'https://a.example' }];
  const demo = { input: { name: 'Ada' }, state: 'sent' } as const;
  const messages = [
    createMessage('user', 'a'),
    createMessage('assistant', 'b [1]', { sources, demo, isAtLimit: true, contact: 'person', vote: 'down' }),
  ];
  saveHistory(storage, 'chat', { sessionId: 's', messages });
  expect(kept(storage)).toEqual({ sessionId: 's', messages });
});

test('an answer during which the visitor left the page is marked as cut', () => {
  const storage = memory();
  saveHistory(storage, 'chat', { sessionId: 's', messages: [createMessage('assistant', 'half', { state: 'open' })] });
  expect(kept(storage).messages[0]).toMatchObject({ text: 'half', state: 'cut' });
});

test('only the newest 60 messages are stored', () => {
  const storage = memory();
  const messages = Array.from({ length: 99 }, (_, index) => createMessage('user', `${index}`));
  saveHistory(storage, 'chat', { sessionId: 's', messages });
  expect(kept(storage).messages.map(({ text }) => text)).toEqual(messages.slice(-60).map(({ text }) => text));
});

test.each(['x', '\n', '\u0001'])(
  'beyond 400,000 characters of %j only as many of the oldest messages are dropped as necessary',
  (char) => {
    const storage = memory();
    const messages = Array.from({ length: 50 }, (_, index) => createMessage('user', `${index} ${char.repeat(20_000)}`));
    saveHistory(storage, 'chat', { sessionId: '\u0001'.repeat(64), messages });
    const found = kept(storage).messages;
    expect(found.at(-1)!.text).toBe(messages.at(-1)!.text);
    expect(found.map(({ text }) => text)).toEqual(messages.slice(-found.length).map(({ text }) => text));
    expect(storage.text!.length).toBeLessThanOrEqual(400_000);
    expect(storage.text!.length).toBeGreaterThan(400_000 - JSON.stringify(messages[0]).length - 1_000);
  },
);

test('a message that is too large by itself is not stored, nor is any older one', () => {
  const storage = memory();
  saveHistory(storage, 'chat', { sessionId: 's', messages: [createMessage('user', 'before')] });
  saveHistory(storage, 'chat', { sessionId: 's', messages: [createMessage('user', 'x'.repeat(400_001))] });
  expect(storage.text).toBeNull();
});

test.each([
  'nonsense',
  'null',
  '7',
  '[]',
  '{"messages":{"length":5}}',
  '{"messages":[null,7,"x",{},{"role":"system","text":"x"},{"role":"user","text":7}]}',
  '{"__proto__":{"messages":[]},"sessionId":{}}',
])('%s, stored by another script, is read as an empty conversation', (text) => {
  const { sessionId, messages } = kept(memory(text));
  expect(messages).toEqual([]);
  expect(sessionId).toMatch(/^[0-9a-f]{32}$/);
});

test('a storage that refuses everything is treated like no storage', () => {
  const refuse = () => {
    throw new DOMException('refused', 'SecurityError');
  };
  const storage = { getItem: refuse, setItem: refuse, removeItem: refuse };
  expect(kept(storage).messages).toEqual([]);
  expect(() => saveHistory(storage, 'chat', { sessionId: 's', messages: [createMessage('user', 'a')] })).not.toThrow();
  expect(loadHistory(undefined, 'chat').messages).toEqual([]);
});

test('an unknown vote, an unknown reason and a malformed id are dropped', () => {
  const unknown = { vote: 'sideways', contact: { reason: 'person' }, id: 'x' };
  const forged = { role: 'assistant', text: 'a', state: 'done', ...unknown };
  const [message] = kept(memory(JSON.stringify({ messages: [forged] }))).messages;
  expect(message!.id).toMatch(/^[0-9a-f]{32}$/);
  expect(message).not.toHaveProperty('vote');
  expect(message).not.toHaveProperty('contact');
});
