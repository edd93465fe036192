import { type ChatRequest, messageText } from '@relata/schemas/chat';
import type { Turn } from '../built-in/visitor/turns.ts';

export interface Conversation {
  /** Turns for the model: text only. */
  turns: Turn[];
  /** The visitor's last message. */
  question: string;
  /** The visitor's message before that, or an empty string. */
  before: string;
}

/**
 * Maximum length of the question and of the earlier turns in a prompt, in UTF-16 units. Both are limited because
 * visitors share the organization's tokens.
 */
const questionUnitsMax = 8_000;
const earlierUnitsMax = 24_000;

/**
 * Rebuilds the conversation from the text of the messages. Everything else is dropped, such as tool results, files,
 * reasoning and provider metadata. The conversation ends with the visitor's last message.
 */
export function readConversation({ messages }: ChatRequest): Conversation {
  const said = messages
    .map((message): Turn => ({ role: message.role, content: messageText(message) }))
    .filter(({ content }) => content.trim() !== '');
  const last = said.findLastIndex(({ role }) => role === 'user');
  const question = { ...said[last]!, content: withoutMiddle(said[last]!.content) };
  const earlier = said.slice(0, last);
  const before = earlier.findLast(({ role }) => role === 'user')?.content ?? '';
  return { turns: [...newest(earlier), question], question: question.content, before };
}

/** Cuts the middle out of a long question, since people ask before or after the text that they paste. */
function withoutMiddle(text: string): string {
  if (text.length <= questionUnitsMax) return text;
  const half = questionUnitsMax / 2;
  // The cut must not leave half a surrogate pair.
  const [head, tail] = [
    text.slice(0, half).replace(/[\ud800-\udbff]$/, ''),
    text.slice(-half).replace(/^[\udc00-\udfff]/, ''),
  ];
  return `${head}\n[…]\n${tail}`;
}

/** Returns as many of the latest turns as fit into `earlierUnitsMax`. */
function newest(turns: readonly Turn[]): Turn[] {
  let units = 0;
  const first = turns.findLastIndex(({ content }) => (units += content.length) > earlierUnitsMax);
  return turns.slice(first + 1);
}
