import { isStorable } from '@relata/schemas';
import { cleanText } from '../clean-text.ts';
import { ExpressionError, ExpressionLimitError } from '../expression.error.ts';
import { type Frame, textMax } from '../evaluation/frame.ts';
import { isList, isMap, type Json, type Value } from '../evaluation/value.ts';

const depthMax = 64;

/** Size that is added for each value, in addition to its characters. */
const valueSize = 8;
const valueWork = 3;

/** Converts the values of one evaluation to JSON, with a limit of 1 MB in total. */
export class Results {
  readonly #frame: Frame;
  #size = 0;

  constructor(frame: Frame) {
    this.#frame = frame;
  }

  /** Returns the value as JSON. Most values from senders are JSON already and are returned themselves. */
  toJson(value: Value): Json {
    return this.#measure(value, 0) ? (value as Json) : convert(value);
  }

  /** Adds up the size of the whole value; returns true if it is JSON that can be stored. */
  #measure(value: Value, depth: number): boolean {
    if (typeof value === 'string') return this.#measureText(value);
    // A whole number may have hundreds of digits.
    this.#count(typeof value === 'bigint' ? String(value).length : 0);
    if (typeof value === 'bigint') return false;
    if (typeof value === 'number') return Number.isFinite(value);
    if (typeof value !== 'object' || value === null) return true;
    if (depth === depthMax) throw new ExpressionLimitError('The result is nested too deeply.');
    if (isList(value)) return this.#measureList(value, depth + 1);
    return isMap(value) && this.#measureMap(value, depth + 1);
  }

  #measureText(text: string): boolean {
    this.#count(text.length);
    return isStorable(text);
  }

  #measureList(list: readonly Value[], depth: number): boolean {
    let isJson = true;
    for (const item of list) isJson = this.#measure(item, depth) && isJson;
    return isJson;
  }

  #measureMap(map: { readonly [key: string]: Value }, depth: number): boolean {
    let isJson = true;
    for (const key of Object.keys(map)) {
      const isKeyJson = this.#measureText(key);
      isJson = this.#measure(map[key]!, depth) && isKeyJson && isJson;
    }
    return isJson;
  }

  #count(characters: number): void {
    this.#size += valueSize + characters;
    if (this.#size > textMax) throw new ExpressionLimitError('The result is larger than 1 MB.');
    this.#frame.charge(valueWork + characters / 16);
  }
}

function convert(value: Value): Json {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value === 'bigint') return fromWhole(value);
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new ExpressionError('The result is not a finite number.');
  if (isList(value)) return value.map(convert);
  if (isMap(value))
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [cleanText(key), convert(member)]));
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'object' && value !== null ? String(value) : value;
}

/** Returns a whole number; beyond 2^53 as a string, because most JSON parsers would lose digits. */
function fromWhole(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}
