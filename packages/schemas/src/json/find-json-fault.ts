import { JsonFaultError } from './json-fault.ts';
import { JsonReader } from './json-reader.ts';

/** Finds the first fault of a text that JSON.parse refused; JSON.parse reports the position of only some faults. */
export function findJsonFault(text: string): JsonFaultError {
  try {
    new JsonReader(text).readOn();
  } catch (error) {
    if (error instanceof JsonFaultError) return error;
    throw error;
  }
  throw new Error('The text is JSON.');
}

/** Describes a position for people: line and column, both starting at 1. */
export function linePosition(text: string, position: number): string {
  const { line, column } = lineAndColumn(text, position);
  return `line ${line}, column ${column}`;
}

/** Returns the line and column of a position, both starting at 1. */
export function lineAndColumn(text: string, position: number): { line: number; column: number } {
  let [line, start] = [1, 0];
  for (let end = text.indexOf('\n'); end >= 0 && end < position; end = text.indexOf('\n', start)) {
    line++;
    start = end + 1;
  }
  return { line, column: position - start + 1 };
}
