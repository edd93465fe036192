import type { Source } from '@relata/knowledge';
import { quote } from './quotes.ts';
import { declinesDemo, wantsDemo } from './visitor/demo-wish.ts';
import { answerSmallTalk } from './visitor/small-talk.ts';
import type { Turns } from './visitor/turns.ts';
import { detailsOf, givesEmail, type VisitorDetails } from './visitor/visitor-details.ts';

/** The text beside a form. An e-mail address that follows fills it in. */
const withForm = 'Please check the form and send it, and somebody from our team will get back to you.';

export interface BuiltInAnswer {
  text: string;
  offer?: VisitorDetails;
}

export interface AnswerInput {
  turns: Turns;
  sources: readonly Source[];
  /** True if there is a form to offer. */
  canOffer: boolean;
}

const texts = {
  offer: `Gladly! ${withForm}`,
  details: `Thank you. ${withForm}`,
  noForm: 'Gladly, but I cannot arrange that from here. Please use the contact details on this website.',
  declined: 'No problem. Is there anything else you would like to know?',
  unknown: 'I am sorry, I don’t know that: I found nothing about it on our pages.',
  offerInstead: 'Shall I arrange a demo, so that somebody from our team can answer it?',
};

/** Answers with quotes from the sources only. Follows no instructions in their text or in the visitor's messages. */
export function answer({ turns, sources, canOffer }: AnswerInput): BuiltInAnswer {
  if (wantsDemo(turns)) return canOffer ? { text: texts.offer, offer: detailsOf(turns) } : { text: texts.noForm };
  if (canOffer && turns.answered.includes(withForm) && givesEmail(turns.question))
    return { text: texts.details, offer: detailsOf(turns) };
  if (declinesDemo(turns)) return { text: texts.declined };
  const talk = answerSmallTalk(turns.question);
  if (talk !== undefined) return { text: talk };
  const quoted = quote(sources);
  if (quoted !== '') return { text: quoted };
  return { text: canOffer ? `${texts.unknown} ${texts.offerInstead}` : texts.unknown };
}
