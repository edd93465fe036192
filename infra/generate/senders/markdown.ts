const columns = 120;

/** Breaks a paragraph into lines, but never inside code. Later lines begin with `indent`. */
export function wrapText(text: string, indent = ''): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.match(/(?:`[^`]*`|\[[^\]]*\]\([^)]*\)|[^\s`[]|\[)+/g) ?? []) {
    if (line !== '' && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = indent + word;
    } else line += line === '' ? word : ` ${word}`;
  }
  return [...lines, line].join('\n');
}

/** Returns a table as the formatter aligns it. */
export function alignTable(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => row[at]!.length)));
  const line = (row: readonly string[]) => `| ${row.map((cell, at) => cell.padEnd(widths[at]!)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)];
}

/** Replaces the text between `<!-- name -->` and `<!-- /name -->` of a page. Throws if the page lacks them. */
export function fillPlace(page: string, name: string, lines: readonly string[]): string {
  const place = new RegExp(`(<!-- ${name}\\b.*-->\\n)[^]*?(\\n<!-- /${name} -->)`);
  if (!place.test(page)) throw new Error(`The page has no region ${name} for the generated text.`);
  return page.replace(place, (_whole, start: string, end: string) => `${start}\n${lines.join('\n')}\n${end}`);
}
