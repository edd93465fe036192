import { type CliError, cliErrors } from './cli.error.ts';

export type Row = Record<string, unknown>;

/** What a command hands back: a record, or a list of them. */
export type Result = Row | readonly Row[];

export interface PrintOptions {
  isJson: boolean;
  /** What people see of a list. */
  columns?: readonly string[] | undefined;
  /** A sentence for people, below. */
  note?: string | undefined;
}

const cellCharactersMax = 60;

/** Prints a result on standard output: one JSON document, or a form that people read. */
export function printResult(result: Result, { isJson, columns, note }: PrintOptions): void {
  if (isJson) return write(JSON.stringify(result, null, 2));
  write(isList(result) ? tableOf(result, columns ?? []) : recordOf(result));
  if (note) write(`\n${note}`);
}

/** Prints an error on standard error, on one line or as one JSON document, and returns the exit code. */
export function printError({ code, message }: CliError, isJson: boolean): number {
  const line = message.replace(/\s*\n\s*/g, ' ');
  process.stderr.write(isJson ? `${JSON.stringify({ error: code, message: line })}\n` : `relata: ${printable(line)}\n`);
  return cliErrors[code];
}

/** A sentence on standard error beside a result that holds all the same. */
export function printWarning(message: string): void {
  process.stderr.write(`relata: ${message}\n`);
}

function write(text: string): void {
  process.stdout.write(`${text}\n`);
}

function isList(result: Result): result is readonly Row[] {
  return Array.isArray(result);
}

function recordOf(record: Row): string {
  const width = Math.max(...Object.keys(record).map((name) => name.length));
  return Object.entries(record)
    .map(([name, value]) => `${name.padEnd(width)}  ${textOf(value)}`)
    .join('\n');
}

function tableOf(rows: readonly Row[], columns: readonly string[]): string {
  if (rows.length === 0) return 'There are none.';
  const lines = [
    columns.map((name) => name.toUpperCase()),
    ...rows.map((row) => columns.map((name) => cellOf(row[name]))),
  ];
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => line[i]!.length)));
  return lines
    .map((line) =>
      line
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function cellOf(value: unknown): string {
  const text = textOf(value);
  return text.length > cellCharactersMax ? `${text.slice(0, cellCharactersMax - 1)}…` : text;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  if (Array.isArray(value)) return value.length > 0 ? value.map(textOf).join(', ') : '-';
  return printable(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Others' text must neither break the table nor steer the terminal. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, (character) => escapes[character] ?? escaped(character));
}

const escapes: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escaped(character: string): string {
  return `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`;
}
