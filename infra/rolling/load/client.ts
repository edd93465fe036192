import type { HttpClient, Sent } from '@relata/testbed/http-client';

export interface Answer {
  /** Undefined if there was no answer. */
  status: number | undefined;
  text: string;
  /** Reason why the answer is incomplete; undefined if it is complete. */
  error: string | undefined;
}

/** Time limit of an answer that is read without `onText`. */
const timeoutMs = 40_000;

/**
 * Sends a request, and reads the answer to its end. With `onText`, passes each piece of the answer on and has no time
 * limit.
 */
export async function ask(client: HttpClient, asked: Sent, onText?: (piece: string) => void): Promise<Answer> {
  let text = '';
  let status: number | undefined;
  try {
    const answer = await client.open(onText ? asked : { ...asked, signal: AbortSignal.timeout(timeoutMs) });
    status = answer.statusCode;
    for await (const piece of answer.setEncoding('utf8') as AsyncIterable<string>) {
      text += piece;
      onText?.(piece);
    }
    return { status, text, error: undefined };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { status, text, error: code ?? message };
  }
}
