import { HttpClient, type Sent } from '@relata/testbed/http-client';

export interface Answer {
  /** Undefined if there was no answer. */
  status: number | undefined;
  text: string;
  /** Reason why the answer is incomplete; undefined if it is complete. */
  error: string | undefined;
}

/** Time limit of an answer that is read without `onText`. */
const timeoutMs = 40_000;

/** A client of the gateway that keeps its connections, and never repeats a request. */
export class Client implements Disposable {
  readonly #http: HttpClient;

  constructor(url: string) {
    this.#http = new HttpClient(url);
  }

  /**
   * Sends a request, and reads the answer to its end. With `onText`, passes each piece of the answer on and has no time
   * limit.
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
