import { asTyped } from './as-typed.ts';
import { type CliError, cliErrors, type ErrorDetails } from './cli.error.ts';
import { type Column, printable, recordText, type Row, tableText } from './result.format.ts';

/** Result of a command: a record or a list of records. */
export type Result = Row | readonly Row[];

export interface PrintOptions {
  isJson: boolean;
  columns?: readonly Column<never>[] | undefined;
  /** Text output that replaces a record or a table. */
  view?: string | undefined;
  /** A sentence for people, printed below. */
  note?: string | undefined;
}

/** Prints a result on standard output: as one JSON document, or as text. */
export function printResult(result: Result, { isJson, columns, view, note }: PrintOptions): void {
  if (isJson) return write(JSON.stringify(result, asText, 2));
  writeLines(view ?? (isList(result) ? tableText(result, (columns ?? []) as readonly Column[]) : recordText(result)));
  if (note) writeLines(`\n${asTyped(note)}`);
}

/** Converts a whole number beyond 2^53 to text, since it would lose digits when it is parsed. */
const asText = (_name: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);

/** Prints an error on standard error, on one line or as one JSON document, and returns the exit code. */
export function printError({ code, message, details }: CliError, isJson: boolean): number {
  const line = asTyped(message.replace(/\s*\n\s*/g, ' '));
  const document = () => JSON.stringify({ error: code, message: line, ...details });
  process.stderr.write(isJson ? `${document()}\n` : `relata: ${printable(line)}\n${faultLines(details)}`);
  return cliErrors[code];
}

function faultLines({ faults = [] }: ErrorDetails): string {
  return faults
    .map(
      ({ path, message, hint = '' }) => `  ${printable(asTyped(`${path && `${path}: `}${message} ${hint}`.trim()))}\n`,
    )
    .join('');
}

/** Prints a warning on standard error; the result of the command stays valid. */
export function printWarning(message: string): void {
  process.stderr.write(`relata: ${printable(asTyped(message))}\n`);
}

/** Prints a line about progress on standard output. */
export function printLine(line: string): void {
  write(printable(line));
}

/** Prints text for people. Anything that a view has left unescaped is made printable, line by line. */
function writeLines(text: string): void {
  write(text.split('\n').map(printable).join('\n'));
}

function write(text: string): void {
  process.stdout.write(`${text}\n`);
}

function isList(result: Result): result is readonly Row[] {
  return Array.isArray(result);
}
