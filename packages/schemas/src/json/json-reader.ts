import { type Expected, JsonFaultError } from './json-fault.ts';
import { character, endOfContainer, endOfText, isSpace, words } from './json-text.ts';

type Container = unknown[] | Record<string, unknown>;

export interface JsonReaderOptions {
  /** True to read whole numbers beyond 2^53 as bigint. Numbers that JSON.parse reads as Infinity stay Infinity. */
  isExact?: boolean;
  /** Bounds beyond which nothing is kept; if omitted, everything is kept. */
  keeps?: JsonBounds;
}

/** Bounds beyond which JSON is read but not kept, so that unused data does not fill the memory. */
export interface JsonBounds {
  /** Levels of containers; a deeper container is kept empty. */
  levelsMax: number;
  /** Number of containers in total. The containers of `elements` may exceed it. */
  containersMax: number;
  /** Members of an object, or elements of an array. */
  membersMax: number;
  /** Members of the outermost object that are always kept. */
  names: ReadonlySet<string>;
  /**
   * The first `countMax` elements of each array in `names`. An element keeps up to `containersMax` containers even if
   * the total is used up, so that an item of a batch does not depend on the items before it.
   */
  elements: { countMax: number; containersMax: number };
}

/** Maximum size of a container that is passed to JSON.parse, which takes at most a millisecond for it. */
const pieceCharacters = 4_096;
/** Number of steps between two readings of the clock. */
const stepsPerLook = 32;

/** Placeholders for containers that are not kept. */
const emptyArray = Object.freeze([]) as unknown as unknown[];
const emptyObject = Object.freeze({}) as Record<string, unknown>;

const everything: JsonBounds = {
  levelsMax: Infinity,
  containersMax: Infinity,
  membersMax: Infinity,
  names: new Set(),
  elements: { countMax: Infinity, containersMax: Infinity },
};

/** All characters from the space on, except the quote and the backslash. */
const plainText = /[ !#-[\]-\uffff]*/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const manyDigits = /\d{16}/;
const integer = /^-?\d+$/;

/**
 * Reads JSON to the same value as JSON.parse, in short steps: JSON.parse takes 100 ms for a megabyte of small objects,
 * and blocks the event loop meanwhile. A long string is read in a single step.
 */
export class JsonReader {
  readonly #text: string;
  readonly #isExact: boolean;
  readonly #keeps: JsonBounds;
  /** The containers around the innermost open container, with the number of their members so far. */
  readonly #around: { container: Container; members: number }[] = [];
  #top: Container | undefined = undefined;
  #members = 0;
  #containers = 0;
  /** The open array that is a named member of the outermost object. */
  #elements: Container | undefined = undefined;
  /** Number of containers that the current element of this array can still keep, even if the total is used up. */
  #elementContainersLeft = 0;
  #position = 0;
  #expected: Expected = 'value';
  #key = '';
  #value: unknown = undefined;
  #unkeptMembers = 0;
  #isWhole = true;
  /** Position up to which containers are not passed to JSON.parse. */
  #byHandUntil = 0;

  constructor(text: string, { isExact = false, keeps = everything }: JsonReaderOptions = {}) {
    this.#text = text;
    this.#isExact = isExact;
    this.#keeps = keeps;
  }

  /** The value, once everything is read. */
  get value(): unknown {
    return this.#value;
  }

  /** Number of members of the outermost container that were not kept. */
  get unkeptMembers(): number {
    return this.#unkeptMembers;
  }

  /** False if anything was not kept. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Continues reading for about `ms`; returns true once everything is read. Throws JsonFaultError. */
  readOn(ms = Infinity): boolean {
    const until = performance.now() + ms;
    for (let steps = 1; ; steps++) {
      while (isSpace(this.#text.charCodeAt(this.#position))) this.#position++;
      if (this.#expected === 'the end' && this.#position === this.#text.length) return true;
      const isCostly = this.#step(this.#text.charCodeAt(this.#position));
      if ((isCostly || steps % stepsPerLook === 0) && performance.now() > until) return false;
    }
  }

  /** Reads one token or one small container; returns true if this may have taken long. */
  #step(next: number): boolean {
    switch (this.#expected) {
      case ', or ]':
      case ', or }':
        return this.#readSeparator(next);
      case 'key':
      case 'key or }':
        if (next === character.braceEnd && this.#expected === 'key or }') return this.#close();
        return this.#readKey(next);
      case ':':
        if (next !== character.colon) throw this.#fault();
        return this.#pass('value');
      case 'the end':
        throw this.#fault();
      default:
        return this.#readValue(next);
    }
  }

  #readSeparator(next: number): boolean {
    const isArray = this.#expected === ', or ]';
    if (next === (isArray ? character.bracketEnd : character.braceEnd)) return this.#close();
    if (next !== character.comma) throw this.#fault();
    return this.#pass(isArray ? 'value' : 'key');
  }

  #readKey(next: number): boolean {
    if (next !== character.quote) throw this.#fault();
    this.#key = this.#readText();
    this.#expected = ':';
    return false;
  }

  #readValue(next: number): boolean {
    if (next === character.bracket || next === character.brace) return this.#readContainer(next === character.bracket);
    if (next === character.bracketEnd && this.#expected === 'value or ]') return this.#close();
    this.#put(next === character.quote ? this.#readText() : this.#readScalar(next));
    this.#expectNext();
    return next === character.quote;
  }

  #readContainer(isArray: boolean): boolean {
    if (this.#position < this.#byHandUntil || !this.#readPiece(isArray)) this.#open(isArray);
    return true;
  }

  /**
   * Reads a small container with JSON.parse. Returns false if it is large, has a fault, or has a number to be read
   * exactly.
   */
  #readPiece(isArray: boolean): boolean {
    const found = endOfContainer(this.#text, this.#position, pieceCharacters);
    const piece = this.#text.slice(this.#position, found.at);
    if (!found.isWhole || (this.#isExact && manyDigits.test(piece))) return this.#readByHand(found.at);
    let value: unknown;
    try {
      value = JSON.parse(piece);
    } catch {
      return this.#readByHand(found.at);
    }
    const isKept = this.#keep(found.containers);
    this.#put(isKept ? value : emptyOf(isArray));
    this.#position = found.at;
    this.#expectNext();
    return true;
  }

  #readByHand(until: number): false {
    this.#byHandUntil = until;
    return false;
  }

  /** Counts containers that begin here, and returns true if they are kept. */
  #keep(containers: number): boolean {
    const { levelsMax, containersMax, elements } = this.#keeps;
    if (this.#top !== undefined && this.#top === this.#elements)
      this.#elementContainersLeft = this.#members < elements.countMax ? elements.containersMax : 0;
    const hasRoom = this.#containers + containers <= containersMax || containers <= this.#elementContainersLeft;
    const isKept = hasRoom && this.#around.length < levelsMax && !isEmptied(this.#top);
    if (isKept) {
      this.#containers += containers;
      this.#elementContainersLeft -= containers;
    } else this.#isWhole = false;
    return isKept;
  }

  #open(isArray: boolean): void {
    const container = this.#keep(1) ? (isArray ? [] : {}) : emptyOf(isArray);
    if (isArray && this.#isNamed) this.#elements = container;
    this.#put(container);
    this.#around.push({ container: this.#top!, members: this.#members });
    this.#top = container;
    this.#members = 0;
    this.#pass(isArray ? 'value or ]' : 'key or }');
  }

  #close(): boolean {
    if (this.#top === this.#elements) this.#elementContainersLeft = 0;
    const { container, members } = this.#around.pop()!;
    this.#top = container;
    this.#members = members;
    this.#position++;
    this.#expectNext();
    return false;
  }

  #pass(expected: Expected): boolean {
    this.#position++;
    this.#expected = expected;
    return false;
  }

  #expectNext(): void {
    if (this.#top === undefined) this.#expected = 'the end';
    else this.#expected = Array.isArray(this.#top) ? ', or ]' : ', or }';
  }

  #put(value: unknown): void {
    const top = this.#top;
    if (top === undefined) this.#value = value;
    else if (isEmptied(top)) return;
    else if (this.#members >= this.#keeps.membersMax && !this.#isNamed) {
      this.#isWhole = false;
      this.#unkeptMembers += this.#isOutermost ? 1 : 0;
    } else {
      this.#members++;
      if (Array.isArray(top)) top.push(value);
      else if (this.#key === '__proto__') Object.defineProperty(top, this.#key, { value, ...ownMember });
      else top[this.#key] = value;
    }
  }

  get #isOutermost(): boolean {
    return this.#around.length === 1;
  }

  get #isNamed(): boolean {
    return this.#isOutermost && !Array.isArray(this.#top) && this.#keeps.names.has(this.#key);
  }

  #readText(): string {
    const [text, start] = [this.#text, this.#position];
    plainText.lastIndex = start + 1;
    plainText.test(text);
    const plainUntil = plainText.lastIndex;
    if (text.charCodeAt(plainUntil) === character.quote) {
      this.#position = plainUntil + 1;
      return text.slice(start + 1, plainUntil);
    }
    const end = endOfText(text, start) + 1;
    try {
      const value = JSON.parse(text.slice(start, end)) as string;
      this.#position = end;
      return value;
    } catch {
      throw this.#fault();
    }
  }

  #readScalar(first: number): unknown {
    const [text, start] = [this.#text, this.#position];
    const word = words.get(first);
    if (word && text.startsWith(word.text, start)) {
      this.#position += word.text.length;
      return word.value;
    }
    number.lastIndex = start;
    if (!number.test(text)) throw this.#fault();
    this.#position = number.lastIndex;
    return this.#numberOf(text.slice(start, this.#position));
  }

  #numberOf(source: string): number | bigint {
    const value = Number(source);
    if (!this.#isExact || Number.isSafeInteger(value) || !Number.isFinite(value)) return value;
    return integer.test(source) ? BigInt(source) : value;
  }

  #fault(): JsonFaultError {
    return new JsonFaultError(this.#expected, this.#position);
  }
}

const ownMember = { writable: true, enumerable: true, configurable: true } as const;
const emptyOf = (isArray: boolean) => (isArray ? emptyArray : emptyObject);
const isEmptied = (container: Container | undefined) => container === emptyArray || container === emptyObject;
