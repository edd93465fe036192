import { createChannel } from '@relata/channel';
import { chatOperations } from '@relata/schemas';
import { describeConformance, startTeamChannel, type TeamChannel } from '@relata/testing';
import { afterAll, beforeAll } from 'vitest';
import { startTestChat, type TestChat } from './chat-gateway.harness.ts';

let chat: TestChat;
let inbox: TeamChannel;
let keyWithoutScopes: string;

beforeAll(async () => {
  inbox = await startTeamChannel();
  const limit = { points: 1_000, windowMs: 60_000 };
  const channel = createChannel({ url: inbox.url, kind: 'slack' });
  chat = await startTestChat({ channel, limits: { chat: limit, demo: limit } });
  keyWithoutScopes = await chat.keyWith(['records:read']);
});
afterAll(async () => {
  await chat[Symbol.asyncDispose]();
  await inbox[Symbol.asyncDispose]();
});

/** Repeats the message of an example conversation, so that a test can replace one of the two messages. */
function twoMessages(example: Record<string, unknown>): Record<string, unknown> {
  const { messages } = example as { messages?: unknown[] };
  return messages ? { ...example, messages: [...messages, ...messages] } : { ...example };
}

describeConformance(Object.values(chatOperations), () => ({
  client: chat.tenant.client,
  keyWithoutScopes,
  pathOf: (spec) => Promise.resolve(spec.path),
  foreignPathOf: (spec) => Promise.resolve(spec.path),
  bodyOf: (spec) => Promise.resolve(spec.example!),
  bodiesOf: ({ example = {} }) => [twoMessages(example)],
  references: () => ({}),
  foreignReferences: () => Promise.resolve({}),
}));
