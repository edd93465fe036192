import { isFollowUp, type Source } from '@relata/knowledge';
import { declinesDemo, wantsDemo } from './visitor/demo-wish.ts';
import type { Turns } from './visitor/turns.ts';
import { type Selected, selectFacts } from './facts/selection.ts';
import { sentenceInLanguageOf } from './visitor/other-languages.ts';
import { answerSmallTalk, plainWords } from './visitor/small-talk.ts';
import type { FactBlock } from './facts/facts.ts';
import { detailsOf, saysDetails, type VisitorDetails } from './visitor/visitor-details.ts';
import { writeAnswer } from './facts/writing.ts';

/** The text beside a form; a visitor's name or address that follows fills it in. */
const withForm = 'Please check the form and send it, and somebody from our team will get back to you.';

/** What the built-in model says, and the demo form that it offers with it. */
export interface BuiltInAnswer {
  text: string;
  offer?: VisitorDetails;
}

export interface AnswerInput {
  turns: Turns;
  sources: readonly Source[];
  /** Whether there is a form to offer. */
  canOffer: boolean;
}

const texts = {
  offer: `Gladly! ${withForm}`,
  details: `Thank you. ${withForm}`,
  noForm: 'Gladly, but I cannot arrange that from here. Please use the contact details on this website.',
  declined: 'No problem. Is there anything else you would like to know?',
  unknown: 'I am sorry, I don’t know that: I found nothing about it on our pages.',
  english: 'I can answer in English.',
  offerInstead: 'Shall I arrange a demo, so that somebody from our team can answer it?',
};

/** Answers from the sources only. Instructions in their text or in the visitor's are not followed. */
export function answer(
  { turns, sources, canOffer }: AnswerInput,
  read: (passage: string) => readonly FactBlock[],
): BuiltInAnswer {
  if (wantsDemo(turns)) return canOffer ? { text: texts.offer, offer: detailsOf(turns) } : { text: texts.noForm };
  if (canOffer && isDetail(turns)) return { text: texts.details, offer: detailsOf(turns) };
  if (declinesDemo(turns)) return { text: texts.declined };
  const talk = answerSmallTalk(turns.question);
  if (talk !== undefined) return { text: talk };
  const written = writeAnswer(about(turns, sources, read));
  if (written !== '') return { text: written };
  const inTheirs = sentenceInLanguageOf(plainWords(turns.question));
  if (inTheirs !== undefined) return { text: `${texts.english} ${inTheirs}` };
  return { text: canOffer ? `${texts.unknown} ${texts.offerInstead}` : texts.unknown };
}

/** Returns true for the answer that asks a visitor to use English. */
export const isInEnglishAlone = (text: string): boolean => text.startsWith(`${texts.english} `);

/** Returns true if the visitor gives, after a form was shown, details that it asks for. */
function isDetail({ question, answered }: Turns): boolean {
  return answered.includes(withForm) && saysDetails(question);
}

/** A question that goes on from another is answered together with it, as long as it has something to do with the pages. */
function about(
  { question, visitor }: Turns,
  sources: readonly Source[],
  read: (passage: string) => readonly FactBlock[],
): Selected[] {
  const before = isFollowUp(question) ? (visitor[1] ?? '') : '';
  return selectFacts({ question, before }, sources, read);
}
