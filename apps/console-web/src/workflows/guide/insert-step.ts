import { definitionText } from '../definition-text.ts';
import type { GuideStep } from './guide.ts';

/** A text with an inserted step, and the position of that step. */
interface Inserted {
  text: string;
  start: number;
  end: number;
}

/**
 * Inserts the example of a kind of step. Inside the list of steps, it follows the step at or before the cursor, or
 * becomes the first step. If the cursor is outside the list, it becomes the last step. Without a complete list, it is
 * inserted at the cursor. Leaves the rest of the text unchanged.
 */
export function insertStep(text: string, cursor: number, step: GuideStep): Inserted {
  const list = findSteps(text);
  const written = definitionText(withIds(step, idsIn(text)));
  if (!list) return insertAt(text, cursor, written, '', '');
  const isInside = cursor > list.start && cursor < list.end;
  const before = isInside ? list.items.findLast(({ start }) => start <= cursor) : list.items.at(-1);
  const isFirst = !before;
  const isLast = before === list.items.at(-1);
  const indented = written.replaceAll('\n', '\n    ');
  if (!isFirst) return insertAt(text, before.end, indented, ',\n    ', '');
  return insertAt(text, list.start + 1, indented, '\n    ', isLast ? '\n  ' : ',');
}

function insertAt(text: string, at: number, written: string, before: string, after: string): Inserted {
  const start = at + before.length;
  return {
    text: `${text.slice(0, at)}${before}${written}${after}${text.slice(at)}`,
    start,
    end: start + written.length,
  };
}

type Written = Pick<GuideStep, 'use'> & GuideStep['example'];

const idsIn = (text: string) => new Set([...text.matchAll(/"id"\s*:\s*"([^"\\]*)"/g)].map(([, id]) => id!));

/** Gives each step a free id and adds it to `taken`. */
function withIds({ use, example }: Pick<GuideStep, 'use' | 'example'>, taken: Set<string>): object {
  const id = freeId(use.replaceAll('.', '_'), taken);
  const { with: input, steps } = example;
  const inner = steps?.map(({ use: innerUse, ...rest }: Written) => withIds({ use: innerUse, example: rest }, taken));
  return { id, use, with: input, ...(inner && { steps: inner }) };
}

function freeId(base: string, taken: Set<string>): string {
  let id = base;
  for (let number = 2; taken.has(id); number++) id = `${base}_${number}`;
  taken.add(id);
  return id;
}

interface Range {
  start: number;
  end: number;
}

const token = /"(?:[^"\\]|\\.)*"|[{}[\]]/g;

/** Finds the `steps` list of the outermost object and its items; undefined if the text has no complete list. */
function findSteps(text: string): (Range & { items: Range[] }) | undefined {
  const items: Range[] = [];
  let depth = 0;
  let listStart: number | undefined;
  let last = '';
  for (const { 0: found, index } of text.matchAll(token)) {
    if (found === '{' || found === '[') {
      depth++;
      if (depth === 2 && found === '[' && last === '"steps"') listStart = index;
      if (depth === 3 && listStart !== undefined) items.push({ start: index, end: index });
    } else if (found === '}' || found === ']') {
      if (listStart !== undefined && depth === 2) return { start: listStart, end: index, items };
      if (listStart !== undefined && depth === 3) items.at(-1)!.end = index + 1;
      depth--;
    }
    last = found;
  }
  return undefined;
}
