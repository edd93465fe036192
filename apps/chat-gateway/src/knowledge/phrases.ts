/** What people who ask about software write in several ways, and the one word that stands for it. */
const phrases: readonly (readonly [pattern: RegExp, word: string])[] = [
  [/\b(?:log(?:ging|ged)?|sign(?:ing|ed)?)[ -]?(?:in(?:to)?|on)\b/g, 'login'],
  [/\bsingle[ -]login\b/g, 'sso'],
  [/\b(?:2fa|mfa|(?:two|2|multi)[ -](?:factor|step))\b/g, 'twofactor'],
  [/\be-?(?=(?:mail|signature|sign)s?\b)/g, ''],
  [/\bartificial intelligence\b|\bmachine learning\b/g, 'ai'],
  [/\bset(?:ting)? up\b/g, 'setup'],
  [/\bdata ?cent(?:er|re)s?\b/g, 'datacentre'],
  [
    /\bon[ -]prem(?:ises?)?\b|\bself[ -]?host(?:ed|ing)?\b|\bhost (?:it |this )?(?:our|my|your)sel(?:f|ves)\b|\bown servers?\b/g,
    'onpremises',
  ],
  [/\bhow (?:much (?:is|are|does|do|would|will|for)|expensive)\b/g, 'price'],
  [/\b(?:do|does) (?:you|it)(?: guys)?(?: also)? supp?ort\b/g, 'have'],
  [/\bwhere(?:s| is| are)\b/g, 'location'],
  [/\bwho (?:is|are) (?:it|this|you) for\b/g, 'suits'],
  [/\bwhat do(?:es)? (?:you|it|your company)(?: guys)? (?:do|make|sell)\b/g, 'software'],
  [/\bdpo\b/g, 'data protection officer'],
  [/\b(?:what is|whats) new\b/g, 'release version'],
  [/\bpen(?:etration)?[ -]?test(?:s|ing)?\b/g, 'pentest'],
  [/\bround[ -]robin\b/g, 'in turn'],
  [/\bmoney back\b/g, 'refund'],
  [/\b(?:get|got|gets|getting|have|bring|take) (?:it |them |this |that |everything )?back\b/g, 'restore'],
  [/\bright for\b/g, 'suits'],
  [/\bplay(?:ing)? (?:around )?with\b/g, 'try'],
  [/\bnon[ -]profits?\b/g, 'nonprofit'],
  [/\bstart[ -]up(s?)\b/g, 'startup'],
  [/\bthird[ -]part(?:y|ies)\b/g, 'thirdparty'],
  [/\bsign(?:ing|ed)?[ -]?up\b/g, 'signup'],
  [/\beuropean union\b/g, 'eu'],
  [/\bunited states\b|\bu\.s\.(?:a\.)?|\bthe us\b/g, 'usa'],
  [/\bunited kingdom\b|\bu\.k\./g, 'uk'],
  [/\bamazon web services\b/g, 'aws'],
  [/\bgoogle cloud\b/g, 'gcp'],
  [/\b24 ?(?:\/|x|-) ?7\b|\baround the clock\b|\b(?:at|by) night\b/g, 'roundtheclock'],
  [/\bon the (?:go|road|move)\b/g, 'mobile'],
  [/\bright to be forgotten\b/g, 'erase'],
  [/\bright now\b|\bat the moment\b/g, 'currently'],
];

/** Puts one word where `text`, in lower case, has one of several ways to write it. */
export function joinPhrases(text: string): string {
  return phrases.reduce((joined, [pattern, word]) => joined.replace(pattern, word), text);
}
