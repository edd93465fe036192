/** An answer that several requests are given: it is made into text once. */
export class SharedAnswer<Value> {
  readonly value: Value;
  #text: string | undefined;

  constructor(value: Value) {
    this.value = value;
  }

  get text(): string {
    return (this.#text ??= JSON.stringify(this.value));
  }
}
