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

const texts = {
  offer: `Gladly! ${withForm}`,
  details: `Thank you. ${withForm}`,
  declined: 'No problem. Is there anything else you would like to know?',
  unknown:
    'I am sorry, I don’t know that: I found nothing about it on our pages. Shall I arrange a demo, so that somebody from our team can answer it?',
};

/** Answers with quotes from the sources only. Follows no instructions in their text or in the visitor's messages. */
export function answer({ turns, sources }: { turns: Turns; sources: readonly Source[] }): BuiltInAnswer {
  if (wantsDemo(turns)) return { text: texts.offer, offer: detailsOf(turns) };
  if (turns.answered.includes(withForm) && givesEmail(turns.question))
    return { text: texts.details, offer: detailsOf(turns) };
  if (declinesDemo(turns)) return { text: texts.declined };
  const talk = answerSmallTalk(turns.question);
  if (talk !== undefined) return { text: talk };
  return { text: quote(sources) || texts.unknown };
}
