/** Returns a Markdown table; the first columns (one by default) are text, the others are figures. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[], textColumns = 1): string {
  const rule = head.map((_, i) => (i < textColumns ? '---' : '---:'));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

export function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

export function milliseconds(value: number): string {
  return value.toFixed(value < 10 ? 2 : 1);
}

export function ratio(value: number): string {
  return value.toFixed(2);
}

export function yesOrNo(holds: boolean): string {
  return holds ? 'yes' : '**no**';
}
