/**
 * Returns a pattern for a response that a page shows. An ellipsis (…) matches any text. Pages write it for values that
 * depend on the installation or the time.
 */
export function patternOf(json: string): RegExp {
  const text = withoutSpace(json).replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${text.replaceAll(/"[0-9a-f]{4}…"/g, '"[^"]+"').replaceAll('…', '.*?')}$`);
}

/** Returns JSON without white space, for the comparison with the pattern. */
export const withoutSpace = (json: string) => json.replaceAll(/\s+/g, '');
