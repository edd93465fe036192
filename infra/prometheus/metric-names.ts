const words = new Set(['and', 'or', 'unless', 'bool', 'offset', 'inf', 'nan']);

const grouping = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g;

const withoutTexts = (expression: string) => expression.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');

/**
 * Returns the metrics in a PromQL expression, in order: each name that is not a label, duration, function or keyword.
 */
export function metricNames(expression: string): string[] {
  const bare = withoutTexts(expression)
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, ' ')
    .replaceAll(grouping, ' ');
  const names = [...bare.matchAll(/(?<![\w.])[a-zA-Z_:][\w:]*(?!\w|\s*\()/g)].map(([name]) => name);
  return [...new Set(names)].filter((name) => !words.has(name.toLowerCase()));
}

/** Returns the labels that an expression groups by. */
export function groupingLabels(expression: string): string[] {
  const lists = [...withoutTexts(expression).matchAll(grouping)].map(([, labels]) => labels!);
  return [...new Set(lists.flatMap((labels) => labels.split(',').map((label) => label.trim())))].filter(Boolean);
}

/**
 * Returns the metrics in an expression, each with the labels that select it and all labels that the expression groups
 * by.
 */
export function labelsOfMetrics(expression: string): Map<string, Set<string>> {
  const groups = groupingLabels(expression);
  const labels = new Map(metricNames(expression).map((name) => [name, new Set(groups)]));
  for (const [, name, matchers] of withoutTexts(expression).matchAll(/([a-zA-Z_:][\w:]*)\s*\{([^}]*)\}/g))
    for (const [, label] of matchers!.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)) labels.get(name!)!.add(label!);
  return labels;
}
