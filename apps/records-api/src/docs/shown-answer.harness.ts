/**
 * Returns a pattern for a response that a page shows. An ellipsis (…) matches anything; pages write it for values that
 * depend on the installation or the time.
 */
export function patternOf(json: string): RegExp {
  const text = withoutSpace(json).replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${text.replaceAll(/"[0-9a-f]{4}…"/g, '"[^"]+"').replaceAll('…', '.*?')}$`);
}

/** Returns JSON without any white space, to be compared with the pattern. */
export const withoutSpace = (json: string) => json.replaceAll(/\s+/g, '');
