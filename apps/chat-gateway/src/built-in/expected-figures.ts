/** An amount of money. */
const amount = /[$€£¥]\s?\d|\d\s?(?:USD|EUR|GBP)\b/g;

/** What asks for a number, and what is one. */
const asksForNumber =
  /\bhow (?:much|many|long|often|fast|big|large|quick|soon|old)\b|\b(?:when|limits?|maximum|minimum|hours)\b/i;

/** Whether a question is for a number of something. */
export function asksNumber(question: string): boolean {
  return asksForNumber.test(question);
}

/** How many amounts of money stand in a text. */
export function amountsIn(text: string): number {
  return text.match(amount)?.length ?? 0;
}
