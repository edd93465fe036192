import { type ModelServer, startModelServer } from '@relata/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asking, streamedParts, startTestChat, type TestChat } from '../chat-gateway.harness.ts';
import { askWithSdk, textOfMessage } from '../sdk.harness.ts';

let model: ModelServer;
let chat: TestChat;
let builtIn: TestChat;

beforeAll(async () => {
  model = await startModelServer();
  chat = await startTestChat({ modelUrl: model.url });
  builtIn = await startTestChat();
});
afterAll(async () => {
  await Promise.all([chat, builtIn].map((one) => one[Symbol.asyncDispose]()));
  await model[Symbol.asyncDispose]();
});

async function typesOf({ tenant }: TestChat, question: string): Promise<string[]> {
  const { text } = await tenant.client('POST', '/v1/genie/chat', { body: asking(question) });
  return streamedParts(text).map(({ type, data }) =>
    type === 'data-contact' ? `${type} ${JSON.stringify(data)}` : type,
  );
}

const unanswered = 'data-contact {"reason":"unanswered"}';
const person = 'data-contact {"reason":"person"}';

describe('an answer that does not answer the question is marked once, before it ends', () => {
  test.each(['Who won the football world cup?', 'Wie viel kostet das und wo gibt es die Rechnung?'])(
    'an answer of the built-in model to %j is marked',
    async (question) => {
      const types = await typesOf(builtIn, question);
      expect(types.filter((type) => type.startsWith('data-'))).toEqual([unanswered]);
      expect(types.indexOf(unanswered)).toBeLessThan(types.indexOf('finish-step'));
    },
  );

  test.each([
    'I do not know that. Shall I arrange a demo?',
    'I don’t have that in our documents.',
    'Das weiß ich leider nicht. Soll ich eine Demo vereinbaren?',
  ])('an answer in which a configured model says that it does not know is marked: %s', async (say) => {
    model.script = { steps: [{ say }] };
    expect(await typesOf(chat, 'Who won?')).toContain(unanswered);
  });
});

describe('an answer is not marked', () => {
  test.each(['What does the Team plan cost?', 'Hello', 'thank you'])(
    'an answer of the built-in model is not marked: %s',
    async (question) => {
      expect((await typesOf(builtIn, question)).filter((type) => type.startsWith('data-'))).toEqual([]);
    },
  );

  test.each(['It costs 29 euros [1]. Shall I arrange a demo?', 'Hello! What would you like to know?'])(
    'an answer of a configured model is not marked: %s',
    async (say) => {
      model.script = { steps: [{ say }] };
      expect((await typesOf(chat, 'What does it cost?')).filter((type) => type.startsWith('data-'))).toEqual([]);
    },
  );
});

describe('the offer of the form', () => {
  test.each(['Can I talk to a human?', 'please call me back', 'contact sales'])(
    'the form follows a contact part if the visitor asked for a person: %s',
    async (question) => {
      const types = await typesOf(builtIn, question);
      expect(types.filter((type) => type.startsWith('data-'))).toEqual([person]);
      expect(types[types.indexOf(person) + 1]).toBe('tool-input-available');
    },
  );

  test.each(['A demo, please', 'Can somebody from sales call me about a demo?'])(
    'no contact part precedes the form if the visitor asked for a demo: %s',
    async (question) => {
      const types = await typesOf(builtIn, question);
      expect(types).toContain('tool-input-available');
      expect(types.filter((type) => type.startsWith('data-'))).toEqual([]);
    },
  );

  test('the form that a configured model offers follows the contact part, and the question is not marked as unanswered', async () => {
    const offer = { call: 'offer_demo', input: {} };
    model.script = { steps: [{ say: 'I cannot answer for them. A demo?' }, offer], finish: 'tool_calls' };
    const types = await typesOf(chat, 'I want to speak to a real person');
    expect(types.filter((type) => type.startsWith('data-'))).toEqual([person]);
  });
});

test("the SDK's client accepts the contact part in a message, and may send it back", async () => {
  const asked = { url: builtIn.url, key: builtIn.tenant.key };
  const { message, errors } = await askWithSdk({ ...asked, texts: ['Who won the football world cup?'] });
  expect(errors).toEqual([]);
  const part = { type: 'data-contact', data: { reason: 'unanswered' } };
  expect(message!.parts).toContainEqual(part);
  expect(textOfMessage(message)).toContain('I don’t know that');
  const before = { id: 'm2', role: 'assistant', parts: [...message!.parts] };
  const { messages } = asking('Who won the football world cup?');
  const next = { id: 'm3', role: 'user', parts: [{ type: 'text', text: 'yes please' }] };
  const { status, text } = await builtIn.tenant.client('POST', '/v1/genie/chat', {
    body: { messages: [...messages, before, next] },
  });
  expect(status).toBe(200);
  expect(streamedParts(text).map(({ type }) => type)).toContain('tool-input-available');
});
