/** Kinds of figures by how they are asked for; the first that fits counts. */
const kinds: readonly (readonly [asked: RegExp, figure: RegExp])[] = [
  [
    /\b(?:how (?:much|expensive)|costs?|prices?|pricing|fees?|cheap|expensive|pay for)\b/i,
    /[$€£¥]\s?\d|\d\s?(?:%|USD\b|EUR\b|GBP\b)|\bfree\b/i,
  ],
  [/\bhow (?:many|long|often|fast|big|large|quick|soon|old)\b|\b(?:when|limits?|maximum|minimum|hours)\b/i, /\d/],
];

/** What a statement has in it that answers a question for a figure; undefined where the question is for none. */
export function expectedFigures(question: string): RegExp | undefined {
  return kinds.find(([asked]) => asked.test(question))?.[1];
}
