import { floodAddress } from '../chat/question.ts';
import { RefusedBody } from './refused-body.ts';
import { refusedBodies } from './refused-bodies.ts';

const body = new RefusedBody(1_000_000);
const chat = '/v1/genie/chat';

/** Each request comes from its own address, because limits apply per address. */
export const refusedChats = refusedBodies({
  name: 'refused-chats',
  app: 'chat-gateway',
  probes: ['chat', 'demo'],
  of: 'syntax, levels, fields, wide objects, messages, parts, size, type',
  statuses: { syntax: 400, levels: 400, fields: 400, wide: 400, messages: 400, parts: 400, size: 413, type: 415 },
  kinds({ flooder }) {
    const of = (bytes: Buffer, headers = {}) => {
      return (request: number) => ({
        path: chat,
        body: bytes,
        headers: { 'x-api-key': flooder.keys[0]!, 'x-forwarded-for': floodAddress(request), ...headers },
      });
    };
    const text = body.text();
    return {
      syntax: of(body.syntax('')),
      levels: of(body.levels('', 'messages')),
      fields: of(body.fields('')),
      wide: of(body.fields('"messages":{', '}}')),
      messages: of(body.list('"messages":', '{}', '}')),
      parts: of(body.list('"messages":[{"role":"user","parts":', '{"type":"text"}', '}]}')),
      size: of(Buffer.concat([text, text])),
      type: of(text, { 'content-type': 'text/plain' }),
    };
  },
});
