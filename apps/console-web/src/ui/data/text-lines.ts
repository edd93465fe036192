/** Breaks a text at its line ends, and after `columns` UTF-16 units, or one more to keep a surrogate pair whole. */
export function wrapText(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const line of text.split(/\r\n|\r|\n/)) {
    let from = 0;
    do {
      const to = endOf(line, from + columns);
      lines.push(line.slice(from, to));
      from = to;
    } while (from < line.length);
  }
  return lines;
}

const isLowSurrogate = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff;
const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;

function endOf(line: string, to: number): number {
  if (to >= line.length) return line.length;
  return isLowSurrogate(line.charCodeAt(to)) && isHighSurrogate(line.charCodeAt(to - 1)) ? to + 1 : to;
}
