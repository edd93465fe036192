/** A line of one or both texts, with its number in each, counted from 1. */
export interface DiffLine {
  kind: 'same' | 'removed' | 'added';
  text: string;
  before?: number;
  after?: number;
}

/** Unchanged lines that are not near a change, hidden by default. */
export interface Fold {
  kind: 'fold';
  lines: DiffLine[];
}

/**
 * Maximum number of pairs of lines to compare between the common beginning and the common end. If there are more, all
 * lines between them count as replaced.
 */
const pairsMax = 4_000_000;

/** Compares two texts by lines. Removed lines come before the added ones that replace them. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  const shorter = Math.min(a.length, b.length);
  let head = 0;
  while (head < shorter && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < shorter - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const [aEnd, bEnd] = [a.length - tail, b.length - tail];
  return [
    ...a.slice(0, head).map((text, i) => same(text, i, i)),
    ...diffMiddle(a.slice(head, aEnd), b.slice(head, bEnd), head),
    ...a.slice(aEnd).map((text, i) => same(text, aEnd + i, bEnd + i)),
  ];
}

const same = (text: string, i: number, j: number): DiffLine => ({ kind: 'same', text, before: i + 1, after: j + 1 });

/** Compares by the longest common subsequence. */
function diffMiddle(a: readonly string[], b: readonly string[], offset: number): DiffLine[] {
  const removed = (i: number): DiffLine => ({ kind: 'removed', text: a[i]!, before: offset + i + 1 });
  const added = (j: number): DiffLine => ({ kind: 'added', text: b[j]!, after: offset + j + 1 });
  if (a.length * b.length > pairsMax) return [...a.map((_, i) => removed(i)), ...b.map((_, j) => added(j))];
  const width = b.length + 1;
  const common = commonLengths(a, b);
  const lines: DiffLine[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    if (i < a.length && a[i] === b[j]) lines.push(same(a[i]!, offset + i++, offset + j++));
    else if (i < a.length && (j === b.length || common[(i + 1) * width + j]! >= common[i * width + j + 1]!))
      lines.push(removed(i++));
    else lines.push(added(j++));
  }
  return lines;
}

/** Returns the length of the longest common subsequence of the two remainders, for each pair of lines. */
function commonLengths(a: readonly string[], b: readonly string[]): Uint32Array {
  const width = b.length + 1;
  const common = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const at = i * width + j;
      common[at] = a[i] === b[j] ? common[at + width + 1]! + 1 : Math.max(common[at + width]!, common[at + 1]!);
    }
  }
  return common;
}

const context = 3;

/** Folds unchanged lines, except for some context around each change. */
export function folded(lines: readonly DiffLine[]): (DiffLine | Fold)[] {
  const isNear = nearChanges(lines);
  const parts: (DiffLine | Fold)[] = [];
  lines.forEach((line, i) => {
    const last = parts.at(-1);
    if (isNear[i]) parts.push(line);
    else if (last?.kind === 'fold') last.lines.push(line);
    else parts.push({ kind: 'fold', lines: [line] });
  });
  return parts.flatMap((part) => (part.kind === 'fold' && part.lines.length === 1 ? part.lines : [part]));
}

function nearChanges(lines: readonly DiffLine[]): boolean[] {
  const isNear = lines.map(() => false);
  lines.forEach(({ kind }, i) => {
    if (kind !== 'same') isNear.fill(true, Math.max(0, i - context), i + context + 1);
  });
  return isNear;
}
