import type { HttpClient } from '@relata/testbed/http-client';

export interface Attempt {
  sentAt: number;
  endedAt: number;
  /** Undefined if there was no answer. The post may have been accepted nevertheless. */
  status: number | undefined;
  retryAfter: string | undefined;
}

export interface PostRequest {
  url: string;
  triggerId: string;
  /** Headers that authenticate the post and identify repeats. */
  headers: Record<string, string>;
  body: Buffer;
}

const answerTimeoutMs = 15_000;

/** Posts once to a trigger. */
export async function sendPost(client: HttpClient, { url, triggerId, headers, body }: PostRequest): Promise<Attempt> {
  const sentAt = Date.now();
  const end = (status?: number, retryAfter?: string) => ({ sentAt, endedAt: Date.now(), status, retryAfter });
  try {
    const path = `${url}/webhooks/trigger/${triggerId}`;
    const signal = AbortSignal.timeout(answerTimeoutMs);
    const response = await client.open({ method: 'POST', path, headers, body, signal });
    // The status alone counts as the answer, even if the rest does not arrive.
    response.on('error', () => undefined).resume();
    return end(response.statusCode, response.headers['retry-after']);
  } catch {
    return end();
  }
}
