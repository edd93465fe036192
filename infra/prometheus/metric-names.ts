const words = new Set(['and', 'or', 'unless', 'bool', 'offset', 'inf', 'nan']);

/** The metrics that an expression of PromQL names, in order: what is neither a label, a duration, a function nor a word of it. */
export function metricNames(expression: string): string[] {
  const bare = expression
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, '')
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, ' ')
    .replaceAll(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ');
  const names = [...bare.matchAll(/(?<![\w.])[a-zA-Z_:][\w:]*(?!\w|\s*\()/g)].map(([name]) => name);
  return [...new Set(names)].filter((name) => !words.has(name.toLowerCase()));
}
