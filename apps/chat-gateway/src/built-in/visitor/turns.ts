export interface Turn {
  role: 'user' | 'assistant';
  content: string;
}

export interface Turns {
  /** The visitor's last message. */
  question: string;
  /** Messages of the visitor including the question, the latest first. */
  visitor: string[];
  /** The assistant's last message, or an empty string. */
  answered: string;
}

/** Maximum length of a message that is read, in UTF-16 units, and maximum number of messages that are read. */
const textMax = 2_048;
const messagesMax = 40;

/** Splits a conversation, whose last message is the question. */
export function splitTurns(conversation: readonly Turn[]): Turns {
  const said = conversation.slice(-messagesMax);
  const visitor = said.filter(({ role }) => role === 'user').map(textOf);
  const answered = said.findLast(({ role }) => role === 'assistant');
  return { question: visitor.at(-1) ?? '', visitor: visitor.toReversed(), answered: answered ? textOf(answered) : '' };
}

function textOf({ content }: Turn): string {
  return content.slice(0, textMax).toWellFormed().trim();
}
