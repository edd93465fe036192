import { plainWords } from './small-talk.ts';
import type { Turns } from './turns.ts';

const demo = String.raw`(?:demos?|demonstration|walk ?through|presentation|product tour|sales call|call back|callback)`;
const somebody = String.raw`(?:sales|somebody|someone|(?:a |your |the )?(?:real )?(?:human|person|rep|representative|team|expert|agent|colleague|advisor|consultant|salesperson|sales (?:team|rep|person|people|representative)))`;

/** Matches a clause that contains only the wish for a demo. */
const only = new RegExp(
  `^(?:(?:a|the|one|live|free|product|please|yes) )*${demo}(?: (?:please|pls|now|request|thanks))*$`,
);

const demoWishes: readonly RegExp[] = [
  new RegExp(String.raw`\b${demo} (?:please|pls|for (?:me|us|my|our|\d+))\b|\bplease (?:a )?${demo}\b`),
  new RegExp(
    String.raw`\b(?:book|schedule|arrange|request|want|wants|see|get|like|love|give|show|need|have|offer|interested in|organi[sz]e|sign (?:me |us )?up for|set ?up)\b(?: [\p{L}\p{N}]+){0,6} ${demo}\b`,
    'u',
  ),
];

/** Patterns of messages that ask for a call, or for somebody from sales. */
const personWishes: readonly RegExp[] = [
  new RegExp(
    String.raw`\b(?:talk|speak|chat|meet|connect (?:me|us)|put (?:me|us) through|in touch)(?: (?:to|with)) ${somebody}\b`,
  ),
  /\b(?:call|phone|ring|contact) (?:me|us)\b/,
  /\b(?:contact|talk to|speak to|reach) (?:your )?sales\b/,
  new RegExp(String.raw`\b(?:have|let|ask) ${somebody} (?:to )?(?:call|contact|phone|reach)\b`),
];

/** Matches phrases with "demo" that do not ask for a demo. */
const other =
  /\b(?:no|not|dont|do not|without|never|what is|whats|after the|missed the) (?:[\p{L}\p{N}]+ ){0,3}demo|\bdemo (?:data|account|version|video|mode|site|workspace|environment)\b|\bdont (?:call|contact|phone)\b|\b(?:do not|never) (?:call|contact|phone)\b/u;

/** Matches messages that accept an offer. "ok thanks" and "sure, but first" do not. */
const yes =
  /^(?:(?:oh|well|hm+) )*(?:yes|yeah|yep|yup|sure|ok|okay|of course|absolutely|definitely|please(?: do)?|go ahead|sounds good|why not|gladly|ja|gern|gerne|oui|si|sí|sim|claro|volentieri|graag|do it|lets do (?:it|that)|(?:id|i would) like that|that would be (?:great|good|nice|lovely))(?: (?:yes|sure|please|pls|go ahead|do|do it|do that|that would be (?:great|good|nice|lovely)|id like that|bitte|gern|gerne|graag|svp|avec plaisir|por favor|per favore))*$/u;

const yesThanks = /^(?:yes|yeah|sure|ja|oui|si|sí|sim) (?:thanks|thank you|danke|merci|gracias|grazie|obrigad[oa])$/u;

const no =
  /^(?:(?:ok|okay|oh|well|hm+|maybe|perhaps) )*(?:no|nope|nah|nein|non|nee|não|not (?:now|yet|today|really)|maybe|perhaps|maybe later|later|rather not|never mind)(?: (?:thanks|thank you|danke|merci|gracias|grazie|bedankt|obrigad[oa]|not (?:now|yet)|later))*$/u;

/** Returns true if the visitor wants a demo, or somebody to talk to. */
export function wantsDemo({ question, answered }: Pick<Turns, 'question' | 'answered'>): boolean {
  const words = plainWords(question);
  if (other.test(words)) return false;
  if ([...demoWishes, ...personWishes].some((wish) => wish.test(words))) return true;
  if (question.split(/[.!?,;:\n]+/).some((clause) => only.test(plainWords(clause)))) return true;
  if (!isOffered(answered) || question.includes('?')) return false;
  return yes.test(words) || yesThanks.test(words) || question.includes('@');
}

/** Returns true if the visitor wants somebody to talk to and does not mention a demo. */
export function asksForPerson(question: string): boolean {
  const words = plainWords(question);
  return !/\bd[eé]mo/.test(words) && !other.test(words) && personWishes.some((wish) => wish.test(words));
}

export function declinesDemo({ question, answered }: Pick<Turns, 'question' | 'answered'>): boolean {
  return isOffered(answered) && no.test(plainWords(question));
}

/** Returns true if a message ends by asking whether to arrange a demo. */
export function isOffered(answered: string): boolean {
  const last = answered
    .slice(-300)
    .split(/[.!\n]/)
    .findLast((sentence) => sentence.trim() !== '');
  return last !== undefined && last.includes('?') && /\b(?:demo|call|sales)\b/i.test(last);
}
