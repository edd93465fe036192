import { createId, type Message, questionCharsMax } from './message.ts';
import { storableText } from './storable-text.ts';

/**
 * Limits of a request. `messages` is the gateway's maximum. The other limits, in characters, drop text that would
 * hardly improve the answer.
 */
const limits = { messages: 40, answerChars: 8_000, allChars: 60_000 };

interface WireMessage {
  id: string;
  role: Message['role'];
  parts: { type: 'text'; text: string }[];
}

/** A body like that of the AI SDK's own transport. */
export interface ChatRequestBody {
  id: string;
  messages: WireMessage[];
  trigger: 'submit-message';
  session_id: string;
}

/**
 * Returns a request with the newest turns that fit: at most 40 turns and 60,000 characters. The first turn is a
 * question.
 */
export function chatRequest(sessionId: string, messages: readonly Message[]): ChatRequestBody {
  const spoken = messages.filter(({ text, isOwn }) => text.trim() !== '' && !isOwn).map(wireMessage);
  const recent = newestThatFit(spoken);
  const start = recent.findIndex(({ role }) => role === 'user');
  return {
    id: sessionId,
    messages: recent.slice(Math.max(start, 0)),
    trigger: 'submit-message',
    session_id: sessionId,
  };
}

function wireMessage({ id, role, text }: Message): WireMessage {
  const charsMax = role === 'user' ? questionCharsMax : limits.answerChars;
  return { id: id || createId(), role, parts: [{ type: 'text', text: storableText(text, charsMax) }] };
}

function newestThatFit(messages: readonly WireMessage[]): WireMessage[] {
  const recent = messages.slice(-limits.messages);
  let chars = recent.reduce((sum, { parts }) => sum + parts[0]!.text.length, 0);
  while (chars > limits.allChars) chars -= recent.shift()!.parts[0]!.text.length;
  return recent;
}
