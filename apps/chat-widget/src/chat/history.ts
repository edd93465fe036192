import { demoInput } from '../demo/demo-fields.ts';
import { asRecord } from '../stream/record.ts';
import { answerLimits, createId, createMessage, type DemoOffer, type Message, type SourceLink } from './message.ts';

export interface History {
  readonly sessionId: string;
  readonly messages: readonly Message[];
}

/**
 * Limits of stored data. `nameChars` is the maximum length of the JSON without the messages, even if each character of
 * the session id is escaped as six characters.
 */
const limits = { messages: 60, chars: 400_000, nameChars: 512 };

/** The part of `sessionStorage` that is used here. A test can replace it. */
export type HistoryStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Returns the tab's storage; undefined if the browser refuses it, as some do in private windows. */
export function tabStorage(): HistoryStorage | undefined {
  try {
    return sessionStorage;
  } catch {
    return undefined;
  }
}

/** Returns the conversation that is stored under a name, or a new one if there is none or it cannot be read. */
export function loadHistory(storage: HistoryStorage | undefined, name: string): History {
  try {
    const kept = asRecord(JSON.parse(storage?.getItem(name) ?? 'null'));
    const messages = Array.isArray(kept.messages) ? kept.messages.slice(-limits.messages).flatMap(keptMessage) : [];
    return { sessionId: typeof kept.sessionId === 'string' ? kept.sessionId.slice(0, 64) : createId(), messages };
  } catch {
    return { sessionId: createId(), messages: [] };
  }
}

/** Stores the newest messages, at most 60 and 400,000 characters as JSON. Ignores errors of the storage. */
export function saveHistory(storage: HistoryStorage | undefined, name: string, { sessionId, messages }: History): void {
  try {
    const newest = newestThatFit(messages);
    if (newest.length === 0) storage?.removeItem(name);
    else storage?.setItem(name, JSON.stringify({ sessionId, messages: newest }));
  } catch {
    // The conversation continues, but is lost when the visitor leaves the page.
  }
}

function newestThatFit(messages: readonly Message[]): Message[] {
  const newest = messages.slice(-limits.messages);
  const sizes = newest.map((message) => JSON.stringify(message).length + 1);
  let chars = sizes.reduce((sum, size) => sum + size, limits.nameChars);
  for (; chars > limits.chars && newest.length > 0; newest.shift()) chars -= sizes.shift()!;
  return newest;
}

/** Reads a stored message. Validates all of it, because every script on the page can write to the storage. */
function keptMessage(value: unknown): Message[] {
  const { id, role, text, sources, demo, state, isOwn, isAtLimit, contact, vote } = asRecord(value);
  if ((role !== 'user' && role !== 'assistant') || typeof text !== 'string') return [];
  const message = createMessage(role, text.slice(0, answerLimits.textChars), {
    sources: Array.isArray(sources) ? sources.slice(0, answerLimits.sources).flatMap(keptSource) : [],
    // If the visitor left the page during an answer, this answer will never be complete.
    state: state === 'done' || state === 'stopped' ? state : 'cut',
    // With the same id, a form that is shown keeps what was typed when the conversation is loaded again.
    ...(typeof id === 'string' && /^[0-9a-f]{32}$/.test(id) && { id }),
    ...(isOwn === true && { isOwn }),
    ...(isAtLimit === true && { isAtLimit }),
    ...((contact === 'unanswered' || contact === 'person') && { contact }),
    ...((vote === 'up' || vote === 'down') && { vote }),
    ...(demo !== undefined && { demo: keptDemo(demo) }),
  });
  return [message];
}

function keptSource(value: unknown): SourceLink[] {
  const { id, title, url } = asRecord(value);
  return typeof id === 'string' && typeof title === 'string' && typeof url === 'string' ? [{ id, title, url }] : [];
}

function keptDemo(value: unknown): DemoOffer {
  const { input, state } = asRecord(value);
  const isKnown = state === 'open' || state === 'sent' || state === 'kept';
  return { input: demoInput(asRecord(input)), state: isKnown ? state : 'closed' };
}
