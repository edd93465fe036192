import { wantsDemo } from './demo-wish.ts';
import { answerSmallTalk } from './small-talk.ts';
import type { Turns } from './turns.ts';

/** Values for the demo form; absent if the visitor has not given them. */
export interface VisitorDetails {
  work_email?: string;
  message?: string;
}

const email = /[\w.+-]{1,64}@(?:[a-z0-9-]{1,63}\.){1,6}[a-z]{2,24}\b/i;

/** Characters before and after an @ that may belong to an address. */
const emailBefore = 64;
const emailAfter = 256;

const messageMax = 2_048;

/** Maximum length of a message that counts as the answer to a request for an e-mail address, in UTF-16 units. */
const answerMax = 120;

/** Returns the visitor's latest e-mail address, and the latest message that is suitable for the form. */
export function findVisitorDetails({ visitor }: Pick<Turns, 'visitor'>): VisitorDetails {
  const address = visitor.map(emailIn).find((found) => found !== undefined);
  const message = oneLine(visitor.find(isInformative));
  return { ...(address && { work_email: address }), ...(message && { message }) };
}

/** Returns true if a short message gives an e-mail address and is not a question. */
export function givesEmail(text: string): boolean {
  return text.length <= answerMax && !text.includes('?') && emailIn(text) !== undefined;
}

/**
 * Returns the e-mail address in a text. It searches only around the first @, so that a text without an @ is not
 * searched letter by letter.
 */
function emailIn(text: string): string | undefined {
  const at = text.indexOf('@');
  return at < 0 ? undefined : email.exec(text.slice(Math.max(0, at - emailBefore), at + emailAfter))?.[0];
}

/**
 * Returns true for a message that suits the form: one longer than 60 UTF-16 units, or a question that does not ask for
 * a demo. Small talk never suits.
 */
function isInformative(text: string): boolean {
  if (answerSmallTalk(text) !== undefined) return false;
  return text.length > 60 || (text.includes('?') && !wantsDemo({ question: text, answered: '' }));
}

/** Returns one line of text without control characters, cut between characters. */
function oneLine(text = ''): string {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return line.slice(0, messageMax).replace(/[\ud800-\udbff]$/, '');
}
