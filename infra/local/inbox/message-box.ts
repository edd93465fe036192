// Each line begins with a bar and is too short for a terminal to wrap. No text of a visitor can thus be mistaken for a
// line of the stack's output.
const bar = '│ ';
const columnsMax = 76;
const linesMax = 60;

// Control characters, which can move the cursor or colour text, and characters that change the direction or have no
// width.
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu;

/**
 * Returns a message as a box of text for a terminal: 78 columns wide, with at most 60 lines of the message, and without
 * control characters.
 */
export function messageBox(lines: readonly string[]): string {
  const rows = lines.flatMap((line) => wrapped(printable(line)));
  const shown =
    rows.length > linesMax ? [...rows.slice(0, linesMax), `… and ${rows.length - linesMax} more lines`] : rows;
  const edge = '─'.repeat(columnsMax + 1);
  return [`┌${edge}`, ...shown.map((row) => `${bar}${row}`), `└${edge}`].join('\n');
}

function printable(line: string): string {
  return line.toWellFormed().replaceAll('\t', '  ').replace(unseen, '').trimEnd();
}

/** Breaks a line into pieces, at spaces if possible. */
function wrapped(line: string): string[] {
  const rows: string[] = [];
  let row = '';
  for (const word of line.split(/(?<= )/)) {
    for (const piece of pieces(word)) {
      if (row !== '' && columns(row) + columns(piece.trimEnd()) > columnsMax) {
        rows.push(row.trimEnd());
        row = '';
      }
      row += piece;
    }
  }
  return [...rows, row.trimEnd()];
}

/** Cuts a word that is longer than a row. */
function pieces(word: string): string[] {
  const found: string[] = [];
  let piece = '';
  for (const point of word) {
    if (columns(piece + point) > columnsMax) {
      found.push(piece);
      piece = '';
    }
    piece += point;
  }
  return [...found, piece];
}

// Characters beyond the Western scripts may be two columns wide. Counting all of them as two only wraps lines early.
const columns = (text: string) => Array.from(text).reduce((sum, point) => sum + (point >= '\u1100' ? 2 : 1), 0);
