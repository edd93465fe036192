import type { Source } from '@relata/knowledge';
import { declinesDemo, wantsDemo } from './visitor/demo-wish.ts';
import { answerSmallTalk } from './visitor/small-talk.ts';
import type { Turns } from './visitor/turns.ts';
import { findVisitorDetails, givesEmail, type VisitorDetails } from './visitor/visitor-details.ts';

/**
 * Text above a demo form. If the visitor replies with an e-mail address instead, the form is offered again with that
 * address.
 */
const withForm = 'Please check the form and send it, and somebody from our team will get back to you.';

export interface BuiltInAnswer {
  text: string;
  offer?: VisitorDetails;
}

const texts = {
  offer: `Gladly! ${withForm}`,
  details: `Thank you. ${withForm}`,
  declined: 'No problem. Is there anything else you would like to know?',
  unknown:
    'I am sorry, I don’t know that: I found nothing about it on our pages. Shall I arrange a demo, so that somebody from our team can answer it?',
};

/**
 * Returns a demo offer, small talk, or quotes from the sources. Ignores instructions in the sources and the visitor's
 * messages.
 */
export function answer({ turns, sources }: { turns: Turns; sources: readonly Source[] }): BuiltInAnswer {
  if (wantsDemo(turns)) return { text: texts.offer, offer: findVisitorDetails(turns) };
  if (turns.answered.includes(withForm) && givesEmail(turns.question))
    return { text: texts.details, offer: findVisitorDetails(turns) };
  if (declinesDemo(turns)) return { text: texts.declined };
  const talk = answerSmallTalk(turns.question);
  if (talk !== undefined) return { text: talk };
  return { text: quote(sources) || texts.unknown };
}

/** Maximum number of passages quoted from the best, the second-best and the third-best page. */
const passagesMax = [3, 2, 1];

/** Maximum length of all quotes together, in characters. The first passage is always quoted. */
const lengthMax = 1_400;

/**
 * Returns the passages that match the question, in Markdown, each with the number of its page; '' if there are no
 * sources.
 */
function quote(sources: readonly Source[]): string {
  const texts = sources.flatMap(({ number, quotes, passages }, rank) =>
    quotes
      .slice(0, passagesMax[rank] ?? 0)
      .toSorted((a, b) => passages.indexOf(a) - passages.indexOf(b))
      .map((passage) => cited(passage, number)),
  );
  let room = lengthMax;
  const fitting = texts.filter((text, i) => {
    if (i > 0 && text.length > room) return false;
    room -= text.length;
    return true;
  });
  return fitting.join('\n\n');
}

/**
 * Returns a passage with its citation. Bracketed numbers in the page itself are removed, since they would look like
 * citations.
 */
function cited(passage: string, number: number): string {
  const text = passage.replace(/ ?\[\d{1,3}\](?!\()/g, '').trimEnd();
  // Leaves an empty line after a table or code, because the citation would otherwise become a part of it.
  return /(?:\||```|~~~)$/.test(text) ? `${text}\n\n[${number}]` : `${text} [${number}]`;
}
