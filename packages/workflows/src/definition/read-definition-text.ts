import { definitionBytesMax, tooLarge } from './check-document.ts';
import { DefinitionError, faultAt } from './definition.error.ts';
import type { Definition } from './definition.ts';
import { findJsonFault } from './json-fault.ts';
import { readDefinition } from './read-definition.ts';

/** Reads a definition from the text of a JSON file. Throws DefinitionError, also on what is not JSON. */
export function readDefinitionText(text: string): Definition {
  if (Buffer.byteLength(text) > 4 * definitionBytesMax) throw tooLarge();
  return readDefinition(parseJson(text.replace(/^\uFEFF/, '')));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const { message, position } = findJsonFault(text);
    const lines = text.slice(0, position).split('\n');
    const place = `line ${lines.length}, column ${lines.at(-1)!.length + 1}`;
    throw new DefinitionError([faultAt([], `The text is not JSON: ${message} (${place}).`)]);
  }
}
