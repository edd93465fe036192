/** An amount of money. */
const amount = /[$€£¥]\s?\d|\d\s?(?:USD|EUR|GBP)\b/g;

const span = /(?:\d|\b(?:one|two|three|four|five|six|afternoon)\b).*\b(?:second|minute|hour|day|week|month|year)s?\b/i;
const rhythm = /\b(?:every|each|once|twice|daily|weekly|monthly|quarterly|yearly|within)\b/i;

/** Kinds of figures by how they are asked for; the first that fits counts. */
const kinds: readonly (readonly [asked: RegExp, figure: RegExp])[] = [
  [/\bhow long\b/i, span],
  [/\bhow often\b/i, rhythm],
  [/\bwhen\b/i, /\d|\b(?:next|after|within|day|week|month|quarter|year|renewal)\b/i],
  [/\bhow (?:much|many|fast|big|large|quick|soon|old)\b|\b(?:limits?|maximum|minimum|hours)\b/i, /\d/],
];

/** What a fact has in it that answers a question for a figure; undefined where the question is for none. */
export function expectedFigures(question: string): RegExp | undefined {
  return kinds.find(([asked]) => asked.test(question))?.[1];
}

/** How many amounts of money stand in a text. */
export function amountsIn(text: string): number {
  return text.match(amount)?.length ?? 0;
}

/** Numbers of 2 digits or more in a question, each as what finds it in a text where it is no part of another figure. */
export function numbersIn(question: string): RegExp[] {
  const numbers = question.match(/(?<![\d.,$€£])\d{2,6}(?![\d%]|[.,]\d)/g) ?? [];
  return numbers.slice(0, 3).map((number) => new RegExp(`(?<![\\d.,$€£])${number}(?![\\d%]|[.,]\\d| GB)`));
}
