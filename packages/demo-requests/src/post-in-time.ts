import { setTimeout as pause } from 'node:timers/promises';
import { type Channel, ChannelError, type Form } from '@relata/channel';
import type { DemoRequestError } from './demo-request.sql.ts';

/** Reason why a form was not posted, or may not have been. */
export interface PostFailure extends DemoRequestError {
  code: ChannelError['code'];
  isInDoubt: boolean;
}

const postsMax = 5;
const firstDelayMs = 200;

/**
 * Posts a form, and retries while the form certainly did not arrive and another post may succeed. Returns the last
 * failure, or undefined if the form arrived. If the channel asks for a wait beyond the deadline, no other post is made.
 * `deadlineMs` is the time for all posts and the pauses between them.
 */
export async function postInTime(channel: Channel, form: Form, deadlineMs: number): Promise<PostFailure | undefined> {
  const endsAtMs = performance.now() + deadlineMs;
  const deadline = AbortSignal.timeout(deadlineMs);
  for (let posts = 1; ; posts++) {
    const error = await post(channel, form, deadline);
    if (!error) return undefined;
    const delayMs = Math.max(backoffMs(posts), error.retryAfterMs ?? 0);
    const isOver = posts === postsMax || performance.now() + delayMs >= endsAtMs;
    if (!error.isRetryable || isOver || !(await pause(delayMs, true, { signal: deadline }).catch(() => false)))
      return failureOf(error);
  }
}

async function post(channel: Channel, form: Form, signal: AbortSignal): Promise<ChannelError | undefined> {
  try {
    await channel.postForm(form, signal);
    return undefined;
  } catch (error) {
    if (error instanceof ChannelError) return error;
    throw error;
  }
}

/**
 * Returns a delay that doubles each time and is shortened at random by up to half. Requests that failed at the same
 * time are thus not retried at the same time.
 */
function backoffMs(posts: number): number {
  return firstDelayMs * 2 ** (posts - 1) * (0.5 + Math.random() / 2);
}

function failureOf({ code, message, status, isInDoubt }: ChannelError): PostFailure {
  if (code !== 'aborted') return { code, message, status, isInDoubt };
  // The deadline has aborted the post.
  const explanation = isInDoubt ? 'The channel did not answer in time.' : 'The channel could not be reached in time.';
  return { code: 'timeout', message: explanation, isInDoubt };
}
