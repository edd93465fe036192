import type { EvaluationContext } from './evaluation-context.ts';
import { ExpressionLimitError } from '../expression.error.ts';
import type { MapValue, Value } from './value.ts';

/**
 * Maximum work of one evaluation. An operation costs 1; reading or creating text costs 1 per 16 characters. One unit
 * takes about 10 ns, at most 30 ns. So an evaluation that reaches the limit has run for 10 to 30 ms.
 */
export const workMax = 1_000_000;

/** Maximum length of a string, in UTF-16 code units. Messages call it 1 MB. */
export const textMax = 1_048_576;

/** Maximum number of items of a list that an expression creates, and of a list or object that it iterates over. */
export const itemsMax = 10_000;

const charactersPerUnit = 16;
const keyWork = 5;
const linearSearchMax = 200;

/** State of one evaluation: the values in scope, the current item of a comprehension, and the work that is left. */
export class Frame {
  readonly context: Partial<EvaluationContext>;
  /** Comprehensions do not nest, so there is one item at a time. */
  item: Value = null;
  #workLeft = workMax;

  constructor(context: Partial<EvaluationContext>) {
    this.context = context;
  }

  get workDone(): number {
    return workMax - this.#workLeft;
  }

  charge(units: number): void {
    this.#workLeft -= units;
    if (this.#workLeft < 0) throw new ExpressionLimitError('The expression takes too long with these values.');
  }

  chargeText(characters: number): void {
    if (characters > textMax) throw new ExpressionLimitError('The text is longer than 1 MB.');
    this.charge(1 + characters / charactersPerUnit);
  }

  /**
   * Charges for a search. V8 searches for a string of up to 250 characters in linear time (Boyer-Moore). For a longer
   * string, or in a search from the end, it compares all characters at every position in the worst case.
   */
  chargeSearch(text: string, wanted: string, isFromEnd = false): void {
    const isLinear = !isFromEnd && wanted.length <= linearSearchMax;
    this.charge(1 + text.length * (isLinear ? 1 / 2 : Math.max(1, wanted.length) / charactersPerUnit));
  }

  /**
   * Returns the keys of an object. It charges more than for iterating over a list, because listing keys takes longer.
   */
  keysOf(map: MapValue): readonly string[] {
    const keys = Object.keys(map);
    this.chargeItems(keys.length);
    this.charge(keys.length * keyWork);
    return keys;
  }

  chargeItems(count: number): void {
    if (count > itemsMax) throw new ExpressionLimitError('A list or an object has more than 10,000 items.');
    this.charge(1 + count / 4);
  }
}
