import { isFollowUp } from '../knowledge/follow-up.ts';
import type { Source } from '../knowledge/knowledge.ts';
import { declinesDemo, wantsDemo } from './demo-wish.ts';
import type { Turns } from './prompt.turns.ts';
import { type Selected, selectStatements } from './selection.ts';
import { answerSmallTalk } from './small-talk.ts';
import type { Statements } from './statements.ts';
import { detailsOf, type VisitorDetails } from './visitor-details.ts';
import { writeAnswer } from './writing.ts';

/** What the built-in model says, and the demo form that it offers with it. */
export interface Answer {
  text: string;
  offer?: VisitorDetails;
}

export interface Asked {
  turns: Turns;
  sources: readonly Source[];
  /** Whether there is a form to offer. */
  canOffer: boolean;
}

const texts = {
  offer: 'Gladly! Please check the form and send it, and somebody from our team will get back to you.',
  noForm: 'Gladly, but I cannot arrange that from here. Please use the contact details on this website.',
  declined: 'No problem. Is there anything else you would like to know?',
  unknown: 'I am sorry, I don’t know that: I found nothing about it on our pages.',
  offerInstead: 'Shall I arrange a demo, so that somebody from our team can answer it?',
};

/** Answers from the sources and from nothing else. Neither their text nor the visitor's is followed. */
export function answer({ turns, sources, canOffer }: Asked, read: (passage: string) => readonly Statements[]): Answer {
  if (wantsDemo(turns)) return canOffer ? { text: texts.offer, offer: detailsOf(turns) } : { text: texts.noForm };
  if (declinesDemo(turns)) return { text: texts.declined };
  const talk = answerSmallTalk(turns.question);
  if (talk !== undefined) return { text: talk };
  const written = writeAnswer(about(turns, sources, read));
  if (written !== '') return { text: written };
  return { text: canOffer ? `${texts.unknown} ${texts.offerInstead}` : texts.unknown };
}

/** A question that goes on from another is answered together with it, as long as it has something to do with the pages. */
function about(
  { question, visitor }: Turns,
  sources: readonly Source[],
  read: (passage: string) => readonly Statements[],
): Selected[] {
  const before = isFollowUp(question) ? visitor[1] : undefined;
  return selectStatements({ question, before }, sources, read);
}
