import { floodAddress } from '../chat/question.ts';
import { RefusedBody } from './refused-body.ts';
import { refusedBodies, typeOf } from './refused-bodies.ts';

const body = new RefusedBody(1_000_000);

/** Each request comes from its own address, because limits apply per address. */
export const refusedChats = refusedBodies({
  name: 'refused-chats',
  app: 'chat-gateway',
  probes: ['chat', 'demo'],
  of: 'syntax, levels, fields, wide objects, messages, parts, size, type',
  faults: {
    syntax: [400, () => body.syntax('')],
    levels: [400, () => body.levels('', 'messages')],
    fields: [400, () => body.fields('')],
    wide: [400, () => body.fields('"messages":{', '}}')],
    messages: [400, () => body.list('"messages":', '{}', '}')],
    parts: [400, () => body.list('"messages":[{"role":"user","parts":', '{"type":"text"}', '}]}')],
    size: [413, () => body.tooLarge()],
    type: [415, () => body.text()],
  },
  sentOf: ({ flooder }, kind, request) => ({
    path: '/v1/genie/chat',
    headers: { 'x-api-key': flooder.keys[0]!, 'x-forwarded-for': floodAddress(request), ...typeOf(kind) },
  }),
});
