import { isStorable } from '@relata/schemas';
import { DefinitionError, type DefinitionFault, faultAt, type Path } from '../definition.error.ts';

export const definitionBytesMax = 262_144;

const depthMax = 32;
const nodesMax = definitionBytesMax;

/** Checks a document before it is read as a definition. Throws DefinitionError if no further check is possible. */
export function checkDocument(document: unknown): DefinitionFault[] {
  const faults: DefinitionFault[] = [];
  let nodes = 0;
  const visit = (value: unknown, path: Path): void => {
    if (++nodes > nodesMax) throw tooLarge();
    if (path.length > depthMax) throw new DefinitionError([faultAt(path, `Is nested deeper than ${depthMax} levels.`)]);
    if (typeof value === 'string' && !isStorable(value)) faults.push(unstorable(path));
    else if (Array.isArray(value)) value.forEach((item, i) => visit(item, [...path, i]));
    else if (isPlainObject(value)) {
      for (const [key, member] of Object.entries(value)) {
        if (key === '__proto__') faults.push(faultAt([...path, key], 'This name is reserved.'));
        else if (!isStorable(key)) faults.push(unstorable(path));
        visit(member, [...path, key]);
      }
    } else if (!isJsonLeaf(value)) throw new DefinitionError([faultAt(path, 'Is not a JSON value.')]);
  };
  visit(document, []);
  if (Buffer.byteLength(JSON.stringify(document)) > definitionBytesMax) throw tooLarge();
  return faults;
}

function isJsonLeaf(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return value === null || value === undefined || typeof value === 'string' || typeof value === 'boolean';
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function unstorable(path: Path): DefinitionFault {
  return faultAt(path, 'Must not contain U+0000 or an unpaired surrogate.');
}

export function tooLarge(): DefinitionError {
  return new DefinitionError([faultAt([], 'The definition is larger than 256 KB.')]);
}
