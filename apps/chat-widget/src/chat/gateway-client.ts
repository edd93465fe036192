import { type AnswerPart, parseAnswerPart } from '../stream/answer-part.ts';
import { readEvents } from '../stream/event-reader.ts';
import { startAnswerTimeout } from '../stream/answer-timeout.ts';
import type { ChatRequestBody } from './chat-request.ts';
import { ChatError, readFailure } from './failure.ts';
import type { Vote } from './message.ts';

/** URL of the chat gateway, and the publishable key of the site. */
export interface Gateway {
  /** Without a slash at the end. */
  readonly api: string;
  readonly key: string;
}

/** Posts JSON without cookies, and does not follow redirects. Rejects as `fetch` does. */
export function postJson({ api, key }: Gateway, path: string, body: unknown, signal: AbortSignal): Promise<Response> {
  return fetch(api + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Api-Key': key },
    body: JSON.stringify(body),
    credentials: 'omit',
    cache: 'no-store',
    redirect: 'error',
    signal,
  });
}

/**
 * Yields the parts of an answer. Throws a ChatError for every failure, but ends without an error if the caller aborts.
 */
export async function* askGateway(
  gateway: Gateway,
  body: ChatRequestBody,
  signal: AbortSignal,
): AsyncGenerator<AnswerPart> {
  const timeout = startAnswerTimeout(signal);
  try {
    const response = await postJson(gateway, '/v1/genie/chat', body, timeout.signal);
    if (!response.ok || !response.body) throw refusal(response);
    yield* wholeAnswer(response.body, timeout.onData);
  } catch (error) {
    if (!signal.aborted) throw error instanceof ChatError ? error : new ChatError({ kind: 'network' });
  } finally {
    timeout.end();
  }
}

function refusal(response: Response): ChatError {
  response.body?.cancel().catch(() => undefined);
  return new ChatError(readFailure(response));
}

/** Yields the parts up to `finish`. If the body ends or fails before that, throws a ChatError of the kind `cut`. */
async function* wholeAnswer(body: ReadableStream<Uint8Array>, onData: () => void): AsyncGenerator<AnswerPart> {
  try {
    for await (const data of readEvents(body, onData)) {
      if (data === '[DONE]') break;
      const part = parseAnswerPart(data);
      if (part?.type === 'error') throw new ChatError({ kind: 'answer' });
      if (part) yield part;
      if (part?.type === 'finish') return;
    }
  } catch (error) {
    if (error instanceof ChatError) throw error;
  }
  throw new ChatError({ kind: 'cut' });
}

const voteTimeoutMs = 10_000;

/** Sends a vote on an answer. Ignores failures, because a vote is not worth an error message. */
export async function sendVote(gateway: Gateway, answerId: string, vote: Vote): Promise<void> {
  try {
    const body = { answer_id: answerId, vote };
    const response = await postJson(gateway, '/v1/genie/answer-vote', body, AbortSignal.timeout(voteTimeoutMs));
    await response.body?.cancel();
  } catch {
    // The gateway is unreachable, or has an older release.
  }
}
