import type { Event } from '@relata/schemas';

/** Matches text that spreadsheets run as a formula, also after white space and with full-width characters. */
const formula = /^\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/;

const columns = [
  ['time', ({ created_at }) => created_at],
  ['author', ({ actor }) => actor.name ?? actor.type],
  ['author_type', ({ actor }) => actor.type],
  ['author_id', ({ actor }) => actor.id],
  ['event', ({ type }) => type],
  ['record_type', ({ record_type }) => record_type],
  ['record_id', ({ record_id }) => record_id],
  ['changed', ({ changed }) => changed?.join(' ')],
  ['before', ({ previous }) => previous && JSON.stringify(previous)],
  ['record', ({ record }) => JSON.stringify(record)],
  ['request_id', ({ request_id }) => request_id],
  ['run_id', ({ run }) => run?.id],
  ['event_id', ({ id }) => id],
] as const satisfies readonly (readonly [string, (event: Event) => string | undefined])[];

/** The header line. It begins with a byte order mark, which tells spreadsheets that the file is UTF-8. */
export const csvHead = `\uFEFF${lineOf(columns.map(([name]) => name))}`;

export const csvRow = (event: Event): string => lineOf(columns.map(([, value]) => value(event) ?? ''));

/**
 * Returns the last line of an incomplete file, which tells people how to continue. Programs use JSON, which has a
 * cursor.
 */
export const csvCut = (count: number, oldest: string): string =>
  lineOf([`This file contains only the newest ${count} events. Export the events before ${oldest} separately.`]);

function lineOf(cells: readonly string[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

/** Returns a cell. Text is always quoted, so that commas and line breaks in it do not begin a new cell or line. */
function cellOf(text: string): string {
  const harmless = formula.test(text) ? `'${text}` : text;
  return `"${harmless.replaceAll('"', '""')}"`;
}
