/** From here on, bytes that are made once cost less than text that each connection would copy. */
const textLengthMax = 16_384;

/** A value that is serialized at most once, whether it is sent as one answer or as several. */
export class SerializedJson<Value> {
  readonly value: Value;
  #json: string | Buffer | undefined;

  /** `json` where it has been serialized already. */
  constructor(value: Value, json?: string) {
    this.value = value;
    this.#json = json;
  }

  /** Text where it is small, which leaves with its head in one piece, else its bytes. */
  get json(): string | Buffer {
    return (this.#json ??= serialize(this.value));
  }
}

function serialize(value: unknown): string | Buffer {
  const text = JSON.stringify(value);
  return text.length > textLengthMax ? Buffer.from(text) : text;
}
