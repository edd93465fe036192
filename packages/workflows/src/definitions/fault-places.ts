import { lineAndColumn } from '@relata/schemas/errors';
import type { DefinitionFault } from './definition.error.ts';

/**
 * Adds the line and column to each fault by finding its path in `text`, the definition as JSON. A missing key gets the
 * position of the object that lacks it.
 */
export function placeFaults(faults: readonly DefinitionFault[], text: string): DefinitionFault[] {
  const root: Place = { inner: new Map(), around: undefined, position: undefined };
  const places = faults.map(({ path }) => segmentsOf(path).reduce(makeInner, root));
  findPlaces(text, root);
  return faults.map((fault, i) => ({ ...fault, ...lineAndColumn(text, positionOf(places[i]!)) }));
}

/** A value with a fault, or an object or array around it. */
interface Place {
  inner: Map<string, Place>;
  around: Place | undefined;
  position: number | undefined;
}

function makeInner(around: Place, segment: string): Place {
  const inner = around.inner.get(segment) ?? { inner: new Map(), around, position: undefined };
  around.inner.set(segment, inner);
  return inner;
}

function positionOf({ position, around }: Place): number {
  return position ?? (around ? positionOf(around) : 0);
}

const segment = /\[("(?:[^"\\]|\\.)*")\]|\[(\d+)\]|([^.[\]]+)/g;

/** Returns the keys and indices of a path that `pathText` formatted. */
function segmentsOf(path: string): string[] {
  return [...path.matchAll(segment)].map(([, quoted, index, name]) =>
    quoted === undefined ? (index ?? name)! : (JSON.parse(quoted) as string),
  );
}

/** An open object or array and the position reached in it. */
interface Open {
  place: Place | undefined;
  /** Index of the current item; undefined in an object. */
  index: number | undefined;
  /** Current key of an object, once it is read. */
  key: { name: string; position: number } | undefined;
}

/** Matches a string, a brace, a bracket, a comma, or another scalar value. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]|[^\s{}[\],:"]+/g;

/** Records the position of each place in the text; the position of a member is that of its key. */
function findPlaces(text: string, root: Place): void {
  const open: Open[] = [];
  for (const { 0: found, index: position } of text.matchAll(token)) {
    const around = open.at(-1);
    if (found === '}' || found === ']') open.pop();
    else if (found === ',') step(around!);
    else if (isKey(around)) around!.key = { name: around!.place ? (JSON.parse(found) as string) : '', position };
    else {
      const place = around ? innerOf(around) : root;
      if (place) place.position ??= around?.key?.position ?? position;
      if (found === '{' || found === '[') open.push({ place, index: found === '[' ? 0 : undefined, key: undefined });
    }
  }
}

const isKey = (around: Open | undefined) => around !== undefined && around.index === undefined && !around.key;

const innerOf = ({ place, index, key }: Open) => place?.inner.get(key ? key.name : String(index));

function step(around: Open): void {
  if (around.index === undefined) around.key = undefined;
  else around.index++;
}
