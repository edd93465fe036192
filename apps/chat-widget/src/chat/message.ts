import type { DemoInput } from '../demo/demo-fields.ts';

/** A page that an answer cites; `id` is the number in its mark, "1" for `[1]`. */
export interface SourceLink {
  readonly id: string;
  readonly title: string;
  readonly url: string;
}

/** A demo form shown below an answer. */
export interface DemoOffer {
  /** What the visitor has already said; the form begins with it. */
  readonly input: DemoInput;
  /** `kept`: stored by the service, which could not notify the team yet. `closed`: replaced by another form. */
  readonly state: 'open' | 'sent' | 'kept' | 'closed';
}

/**
 * Why a visitor may want a person: the pages do not hold the answer, or the visitor asked for somebody and not for a
 * demo.
 */
export type ContactReason = 'unanswered' | 'person';

export type Vote = 'up' | 'down';

/** One turn of the conversation. Never changed: a new state of it is a new object. */
export interface Message {
  readonly id: string;
  readonly role: 'user' | 'assistant';
  /** A visitor's plain text, or an answer's Markdown. */
  readonly text: string;
  readonly sources: readonly SourceLink[];
  readonly demo?: DemoOffer;
  /** `open` while it is being written; `stopped` by the visitor; `cut` by whatever else. */
  readonly state: 'open' | 'done' | 'stopped' | 'cut';
  /** Written by the widget itself, and never sent to the gateway. */
  readonly isOwn?: boolean;
  /** A limit of length ended it: the model's, or what an answer may hold. */
  readonly isAtLimit?: boolean;
  readonly contact?: ContactReason;
  /** What the visitor thinks of it; given once. */
  readonly vote?: Vote;
}

/** What an answer may hold; beyond it the rest is cut off. */
export const answerLimits = { textChars: 32_000, sources: 20, titleChars: 200, urlChars: 2_048 };

export const questionCharsMax = 4_000;

/** A random id. `crypto.randomUUID` exists on https pages alone. */
export function createId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function createMessage(role: Message['role'], text: string, more: Partial<Message> = {}): Message {
  return { id: createId(), role, text, sources: [], state: 'done', ...more };
}
