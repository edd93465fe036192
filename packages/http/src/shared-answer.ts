import { type EncodedJson, encodeJson } from './encoded-json.ts';

/** An answer that several requests are given: it is encoded once, and all are written the same bytes. */
export class SharedAnswer<Value> {
  readonly value: Value;
  #encoded: EncodedJson | undefined;

  constructor(value: Value) {
    this.value = value;
  }

  get encoded(): EncodedJson {
    return (this.#encoded ??= encodeJson(this.value));
  }
}
