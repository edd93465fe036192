import { Connection, type ConnectionOptions } from '@relata/testbed/connection';

export interface StreamedReply {
  /** Time from sending the request to the first `text-delta`, and to the end. */
  firstMs: number;
  wholeMs: number;
  /** Frames with a `text-delta`. */
  tokens: number;
}

const tokenMark = '"type":"text-delta"';
const finishMark = /"finishReason":"(?:stop|tool-calls)"/;
/**
 * Number of characters carried over to the next read, in case TCP splits a mark. The server writes each frame in one
 * HTTP chunk, so a chunk boundary never splits a mark.
 */
const carriedUnits = 64;
/** Number of characters of a wrong answer that an error message shows. */
const errorUnits = 500;
const streamEnd = 'data: [DONE]\n\n\r\n0\r\n\r\n';
const readBytes = 16_384;

/** Reads answers by looking for marks in the bytes, so that hundreds of connections cost little. */
export class StreamConnection extends Connection<{ bytes: Buffer }> {
  /** Called for each answer. The run ends if it throws. */
  readonly #onAnswer: (answer: StreamedReply) => void;
  #firstAt: number | undefined;
  #tokens = 0;
  #isOk = false;
  #isFinished = false;
  /** Last characters of the previous read, in which a mark may have begun. */
  #carried = '';

  constructor(options: ConnectionOptions<{ bytes: Buffer }>, onAnswer: (answer: StreamedReply) => void) {
    super(options, readBytes);
    this.#onAnswer = onAnswer;
  }

  protected begin(): void {
    [this.#firstAt, this.#tokens, this.#isOk, this.#isFinished, this.#carried] = [undefined, 0, false, false, ''];
  }

  protected read(bytes: number, buffer: Buffer): boolean {
    const piece = buffer.toString('latin1', 0, bytes);
    // The first line of an answer is never split, because it is written together with the whole head.
    if (!this.#isOk && !piece.startsWith('HTTP/1.1 200 '))
      throw new Error(`Expected an answer with status 200, received: ${piece.slice(0, errorUnits)}`);
    this.#isOk = true;
    const text = this.#carried + piece;
    // A mark that lies entirely in the carried part was counted before.
    const from = Math.max(0, this.#carried.length - tokenMark.length + 1);
    for (let at = text.indexOf(tokenMark, from); at >= 0; at = text.indexOf(tokenMark, at + tokenMark.length)) {
      this.#firstAt ??= performance.now();
      this.#tokens++;
    }
    this.#isFinished ||= finishMark.test(text);
    this.#carried = text.slice(-carriedUnits);
    if (!text.endsWith(streamEnd)) return false;
    if (!this.#isFinished) throw new Error(`An answer was cut off: ${text.slice(-errorUnits)}`);
    const now = performance.now();
    const firstMs = (this.#firstAt ?? now) - this.sentAt;
    this.#onAnswer({ firstMs, wholeMs: now - this.sentAt, tokens: this.#tokens });
    return true;
  }
}
