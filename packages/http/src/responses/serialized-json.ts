/** Length beyond which JSON is kept as a Buffer, because each connection would copy a string. */
const textLengthMax = 16_384;

/** A value that is serialized at most once, even if it is sent in several responses. */
export class SerializedJson<Value> {
  readonly value: Value;
  #json: string | Buffer | undefined;

  /** `json` is the serialized value, if it exists already. */
  constructor(value: Value, json?: string) {
    this.value = value;
    this.#json = json;
  }

  /** The JSON: a string if it is small, so that it is sent together with the head, otherwise a Buffer. */
  get json(): string | Buffer {
    return (this.#json ??= serialize(this.value));
  }
}

function serialize(value: unknown): string | Buffer {
  const text = JSON.stringify(value);
  return text.length > textLengthMax ? Buffer.from(text) : text;
}
