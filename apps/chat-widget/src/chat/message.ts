import type { DemoInput } from '../demo/demo-fields.ts';

/** A page that an answer cites; `id` is the number in its citation: "1" for `[1]`. */
export interface SourceLink {
  readonly id: string;
  readonly title: string;
  readonly url: string;
}

/** A demo form shown below an answer. */
export interface DemoOffer {
  /** Prefilled fields from the conversation. */
  readonly input: DemoInput;
  /**
   * `kept`: the service has stored the request but could not notify the team yet. `closed`: a newer form replaced this
   * one.
   */
  readonly state: 'open' | 'sent' | 'kept' | 'closed';
}

/**
 * Reason why a visitor may want to talk to a person: the pages do not contain the answer, or the visitor has asked for
 * a person and not for a demo.
 */
export type ContactReason = 'unanswered' | 'person';

export type Vote = 'up' | 'down';

/** A turn of the conversation. Immutable: a new state is a new object. */
export interface Message {
  readonly id: string;
  readonly role: 'user' | 'assistant';
  /** A visitor's plain text, or an answer's Markdown. */
  readonly text: string;
  readonly sources: readonly SourceLink[];
  readonly demo?: DemoOffer;
  /** `open` while the message is arriving; `stopped` by the visitor; `cut` if it ended early for another reason. */
  readonly state: 'open' | 'done' | 'stopped' | 'cut';
  /** True if the widget itself wrote the message, which is then never sent to the gateway. */
  readonly isOwn?: boolean;
  /** True if a length limit ended the message: the model's limit or `answerLimits.textChars`. */
  readonly isAtLimit?: boolean;
  readonly contact?: ContactReason;
  /** The visitor's vote, which cannot be changed. */
  readonly vote?: Vote;
}

/** Limits of an answer; the rest is cut off. */
export const answerLimits = { textChars: 32_000, sources: 20, titleChars: 200, urlChars: 2_048 };

export const questionCharsMax = 4_000;

/** Returns a random id. `crypto.randomUUID` exists only on https pages. */
export function createId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function createMessage(role: Message['role'], text: string, more: Partial<Message> = {}): Message {
  return { id: createId(), role, text, sources: [], state: 'done', ...more };
}
