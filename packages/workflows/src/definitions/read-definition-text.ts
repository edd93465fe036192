import { findJsonFault, linePosition } from '@relata/schemas';
import { definitionBytesMax, tooLarge } from './check-document.ts';
import { DefinitionError, faultAt } from './definition.error.ts';
import type { Definition } from './definition.ts';
import { shown } from './issue.fault.ts';
import { readDefinition } from './read-definition.ts';
import { findRepeatedKey } from './repeated-key.ts';

/** Reads a definition from the text of a JSON file. Throws DefinitionError, also on what is not JSON. */
export function readDefinitionText(text: string): Definition {
  if (Buffer.byteLength(text) > 4 * definitionBytesMax) throw tooLarge();
  return readDefinition(parseJson(text.replace(/^\uFEFF/, '')));
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
  return new DefinitionError([faultAt([], `${message} (${linePosition(text, position)}).`)]);
}
