import { type Concept, termsOf } from '@relata/knowledge';

/** Words that ask for a price. */
const prices = new Set(termsOf('price prices pricing cost fee tariff expensive cheap'));

/** Nearly so surely is a word meant that is misspelt. */
const surenessMin = 0.6;

/** Whether somebody asks for a price, and not only for something near it such as a discount. */
export function isPrice(concept: Concept): boolean {
  return [...concept].some(([term, sureness]) => sureness >= surenessMin && prices.has(term));
}

/** Words that say what people do with anything. */
const general = new Set(
  termsOf('data keep work run available provide support include add create build send change offer own number handle'),
);

const generalWeight = 0.35;

/** What a concept counts beside how rare it is. */
export function weightOf(concept: Concept): number {
  const [term = ''] = concept.keys();
  return general.has(term) ? generalWeight : 1;
}
