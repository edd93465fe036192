import type { HttpClient, Sent } from '@relata/testbed/http-client';

export interface LoadResponse {
  /** Undefined if there was no response. */
  status: number | undefined;
  text: string;
  /** Reason why the response is incomplete; undefined if it is complete. */
  error: string | undefined;
}

/** Time limit of a response that is read without `onText`. */
const timeoutMs = 40_000;

/**
 * Sends a request, and reads the response to its end. With `onText`, passes each piece of the response on and has no
 * time limit.
 */
export async function ask(client: HttpClient, asked: Sent, onText?: (piece: string) => void): Promise<LoadResponse> {
  let text = '';
  let status: number | undefined;
  try {
    const response = await client.open(onText ? asked : { ...asked, signal: AbortSignal.timeout(timeoutMs) });
    status = response.statusCode;
    for await (const piece of response.setEncoding('utf8') as AsyncIterable<string>) {
      text += piece;
      onText?.(piece);
    }
    return { status, text, error: undefined };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { status, text, error: code ?? message };
  }
}
