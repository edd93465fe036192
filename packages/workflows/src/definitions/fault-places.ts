import { lineAndColumn } from '@relata/schemas/errors';
import type { Fault } from './definition.error.ts';

/**
 * Faults with the lines at which their paths are in the text of the definition. What the text lacks, such as a key that
 * is required, is placed where the object begins that lacks it. The text must be JSON.
 */
export function placeFaults(faults: readonly Fault[], text: string): Fault[] {
  const root = new Place();
  const places = faults.map(({ path }) => root.at(segmentsOf(path)));
  findPlaces(text, root);
  return faults.map((fault, i) => ({ ...fault, ...lineAndColumn(text, places[i]!.position) }));
}

/** A value that a fault is about, or that such a value is in. */
class Place {
  readonly #inner = new Map<string, Place>();
  readonly #around: Place | undefined;
  #position: number | undefined;

  constructor(around?: Place) {
    this.#around = around;
  }

  get position(): number {
    return this.#position ?? this.#around?.position ?? 0;
  }

  found(position: number): void {
    this.#position ??= position;
  }

  find(segment: string): Place | undefined {
    return this.#inner.get(segment);
  }

  at(segments: readonly string[]): Place {
    return segments.reduce<Place>((place, segment) => place.#make(segment), this);
  }

  #make(segment: string): Place {
    const inner = this.find(segment) ?? new Place(this);
    this.#inner.set(segment, inner);
    return inner;
  }
}

const segment = /\[("(?:[^"\\]|\\.)*")\]|\[(\d+)\]|([^.[\]]+)/g;

/** The keys and indices of a path as `pathText` writes it. */
function segmentsOf(path: string): string[] {
  return [...path.matchAll(segment)].map(([, quoted, index, name]) =>
    quoted === undefined ? (index ?? name)! : (JSON.parse(quoted) as string),
  );
}

/** An object or an array that has begun, and what of it comes next. */
interface Open {
  place: Place | undefined;
  /** In an array. */
  index: number | undefined;
  /** In an object, after its key. */
  key: { name: string; position: number } | undefined;
}

/** A string, a brace, bracket, comma, or anything else of a value. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]|[^\s{}[\],:"]+/g;

/** Notes where the text has each place: a member at its key. */
function findPlaces(text: string, root: Place): void {
  const open: Open[] = [];
  for (const { 0: found, index: position } of text.matchAll(token)) {
    const around = open.at(-1);
    if (found === '}' || found === ']') open.pop();
    else if (found === ',') step(around!);
    else if (isKey(around)) around!.key = { name: around!.place ? (JSON.parse(found) as string) : '', position };
    else {
      const place = around ? innerOf(around) : root;
      place?.found(around?.key?.position ?? position);
      if (found === '{' || found === '[') open.push({ place, index: found === '[' ? 0 : undefined, key: undefined });
    }
  }
}

const isKey = (around: Open | undefined) => around !== undefined && around.index === undefined && !around.key;

const innerOf = ({ place, index, key }: Open) => place?.find(key ? key.name : String(index));

function step(around: Open): void {
  if (around.index === undefined) around.key = undefined;
  else around.index++;
}
