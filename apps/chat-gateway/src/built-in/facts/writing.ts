import { amountsIn } from './expected-figures.ts';
import type { Selected } from './selection.ts';

/** Characters of an answer, and parts that it is made of. */
const lengthMax = 900;
const partsMax = 3;

/** What answers less well than this share of the best is left out. */
const scoreMin = 0.7;

/** FactBlock of a paragraph and of a list, and the length up to which they are given whole. */
const sentencesMax = 4;
const itemsMax = 6;
const wholeMax = 420;

/** Writes Markdown: a paragraph or a list for each of the best groups of facts, with the number of its source. */
export function writeAnswer(selected: readonly Selected[]): string {
  const parts: { text: string; of: Selected }[] = [];
  let room = lengthMax;
  for (const of of selected.slice(0, partsMax)) {
    if (of.score < selected[0]!.score * scoreMin) break;
    const text = write(of);
    const length = of.facts.kind === 'table' ? 0 : text.length;
    if (parts.length > 0 && length > room) continue;
    parts.push({ text, of });
    room -= length + 2;
  }
  return inOrder(parts).join('\n\n');
}

/** The source of the best part comes first; parts of one source keep the order of the page. */
function inOrder(parts: readonly { text: string; of: Selected }[]): string[] {
  const bySource = [...Map.groupBy(parts, ({ of }) => of.source).values()];
  return bySource.flatMap((own) => own.toSorted((a, b) => a.of.position - b.of.position).map(({ text }) => text));
}

function write(selected: Selected): string {
  switch (selected.facts.kind) {
    case 'paragraph':
      return writeParagraph(selected);
    case 'table':
      return writeTable(selected);
    default:
      return writeList(selected);
  }
}

/** The mark of the source is outside of the table: in a row it would be a cell. */
function writeTable(selected: Selected): string {
  const { source, facts } = selected;
  const shown = shownRows(selected);
  const table = `${facts.head}\n${shown.join('\n')}`;
  return facts.lead === '' ? `${table}\n\n[${source}]` : `${facts.lead} [${source}]:\n\n${table}`;
}

/**
 * Prices are given whole, within what a passage holds: which of them is the cheapest, or fits, shows only beside the
 * others. Of any other table the rows that the question names, or all of them, and of many those that answer.
 */
function shownRows({ facts, scores, named }: Selected): string[] {
  const rows = facts.all.map(({ text }) => text);
  if (rows.some((row) => amountsIn(row) > 0)) return rows;
  const own = named.includes(true) ? rows.filter((_, i) => named[i]) : rows;
  return own.length <= itemsMax ? fitting(own, lengthMax) : shownItems(rows, scores);
}

/** The paragraph, or from the best sentence on as much as fits. */
function writeParagraph({ source, facts, scores }: Selected): string {
  const sentences = facts.all.map(({ text }) => text);
  const whole = sentences.join(' ');
  if (whole.length <= wholeMax) return `${whole} [${source}]`;
  const best = scores.indexOf(Math.max(...scores));
  const shown = fitting(sentences.slice(best, best + sentencesMax));
  return `${shown.join(' ')} [${source}]`;
}

/** The list below what it is a list of; of a long one the items that answer. */
function writeList({ source, facts, scores }: Selected): string {
  const items = facts.all.map(({ text }, i) => `${facts.kind === 'steps' ? `${i + 1}.` : '-'} ${text}`);
  const lead = facts.lead === '' ? '' : `${facts.lead}:\n\n`;
  return `${lead}${shownItems(items, scores).join('\n')} [${source}]`;
}

function shownItems(items: readonly string[], scores: readonly number[]): string[] {
  if (items.length <= itemsMax && items.join('\n').length <= wholeMax) return [...items];
  const best = scores
    .map((score, i) => ({ score, i }))
    .toSorted((a, b) => b.score - a.score)
    .filter(({ score }, rank) => rank === 0 || score >= Math.max(...scores) * scoreMin)
    .slice(0, itemsMax);
  return fitting(best.toSorted((a, b) => a.i - b.i).map(({ i }) => items[i]!));
}

/** As many texts as are short enough together, but one at least, which is then cut. */
function fitting(texts: readonly string[], lengthOfAll = wholeMax): string[] {
  const shown: string[] = [];
  let room = lengthOfAll;
  for (const text of texts) {
    if (shown.length > 0 && text.length > room) break;
    shown.push(
      text.length > lengthMax / 2 ? `${text.slice(0, lengthMax / 2).replace(/[\ud800-\udbff]$|\s+\S*$/, '')} …` : text,
    );
    room -= text.length + 1;
  }
  return shown;
}
