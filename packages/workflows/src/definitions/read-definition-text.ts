import { findJsonFault, lineAndColumn, linePosition } from '@relata/schemas/errors';
import { definitionBytesMax, tooLarge } from './checks/check-document.ts';
import { DefinitionError, faultAt } from './definition.error.ts';
import type { Definition } from './definition.ts';
import { shown } from './checks/issue-faults.ts';
import { placeFaults } from './fault-places.ts';
import { readDefinition } from './read-definition.ts';

/** Reads a definition from the text of a file. Throws DefinitionError with line numbers, even if it is not JSON. */
export function readDefinitionText(text: string): Definition {
  if (Buffer.byteLength(text) > 4 * definitionBytesMax) throw tooLarge();
  const json = text.replace(/^\uFEFF/, '');
  const value = parseJson(json);
  try {
    return readDefinition(value);
  } catch (error) {
    throw error instanceof DefinitionError ? new DefinitionError(placeFaults(error.faults, json)) : error;
  }
}

function parseJson(text: string): unknown {
  const value = parse(text);
  const repeated = findRepeatedKey(text);
  if (repeated === undefined) return value;
  throw faultIn(text, repeated.position, `The key ${shown(repeated.written)} is given twice`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const { message, position } = findJsonFault(text);
    throw faultIn(text, position, `The text is not JSON: ${message}`);
  }
}

function faultIn(text: string, position: number, message: string): DefinitionError {
  const fault = faultAt([], `${message} (${linePosition(text, position)}).`);
  return new DefinitionError([{ ...fault, ...lineAndColumn(text, position) }]);
}

/** A key that occurs twice in one object. */
interface RepeatedKey {
  /** The key as written, with its quotes. */
  readonly written: string;
  readonly position: number;
}

/** Matches a string, with the colon after it if it is a key, or a brace. */
const token = /("[^"\\]*(?:\\.[^"\\]*)*")([ \t\n\r]*:)?|[{}]/g;

/** Finds the first key that an object has twice: JSON.parse silently keeps the last value. */
function findRepeatedKey(json: string): RepeatedKey | undefined {
  const around: Set<string>[] = [];
  for (const { 0: found, 1: written, 2: colon, index } of json.matchAll(token)) {
    if (found === '{') around.push(new Set());
    else if (found === '}') around.pop();
    else if (written !== undefined && colon !== undefined) {
      const keys = around.at(-1)!;
      const key = JSON.parse(written) as string;
      if (keys.has(key)) return { written, position: index };
      keys.add(key);
    }
  }
  return undefined;
}
