/** JSON to be written: text where it is small, which leaves with its head in one piece, else its bytes. */
export type EncodedJson = string | Buffer;

/** From here on, bytes that are made once cost less than text that each connection would copy. */
const textLengthMax = 16_384;

export function encodeJson(value: unknown): EncodedJson {
  const text = JSON.stringify(value);
  return text.length > textLengthMax ? Buffer.from(text) : text;
}
