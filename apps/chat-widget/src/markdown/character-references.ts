/** Names of character references that occur in prose. References with other names stay as they were written. */
const named: ReadonlyMap<string, string> = new Map(
  Object.entries({
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    nbsp: '\u00a0',
    copy: '©',
    reg: '®',
    trade: '™',
    hellip: '…',
    mdash: '—',
    ndash: '–',
    lsquo: '‘',
    rsquo: '’',
    ldquo: '“',
    rdquo: '”',
    bull: '•',
    middot: '·',
    times: '×',
    rarr: '→',
    larr: '←',
    euro: '€',
    pound: '£',
    deg: '°',
  }),
);

/**
 * Resolves named references such as `&amp;`, once: `&amp;lt;` becomes `&lt;`. The lexer has already resolved numeric
 * references, and escaped the result.
 */
export function resolveReferences(text: string): string {
  return text.replaceAll(/&([a-z]{2,6});/g, (reference, name: string) => named.get(name) ?? reference);
}
