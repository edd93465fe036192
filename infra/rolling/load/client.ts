import { HttpClient, type Sent } from '@relata/testbed/http-client';

export interface Answer {
  /** Undefined if there was no answer. */
  status: number | undefined;
  text: string;
  /** Reason why it is not complete; undefined if it is complete. */
  error: string | undefined;
}

/** Longer than any answer may take, except those that are followed. */
const timeoutMs = 40_000;

/** Keeps its connections to the gateway, and never repeats a request by itself. */
export class Client implements Disposable {
  readonly #http: HttpClient;

  constructor(url: string) {
    this.#http = new HttpClient(url);
  }

  /**
   * Reads the answer to its end. An answer that is followed may continue without end, and `onText` gets each piece of
   * it.
   */
  async send(asked: Sent, onText?: (piece: string) => void): Promise<Answer> {
    let text = '';
    let status: number | undefined;
    try {
      const signal = onText ? {} : { signal: AbortSignal.timeout(timeoutMs) };
      const answer = await this.#http.open({ ...asked, ...signal });
      status = answer.statusCode;
      for await (const piece of answer.setEncoding('utf8') as AsyncIterable<string>) {
        text += piece;
        onText?.(piece);
      }
      return { status, text, error: undefined };
    } catch (error) {
      return { status, text, error: describe(error as Error) };
    }
  }

  [Symbol.dispose](): void {
    this.#http[Symbol.dispose]();
  }
}

const describe = (error: Error & { code?: string }) => error.code ?? error.message;
