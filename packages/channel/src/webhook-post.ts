import type { LookupAddress } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import { Deadline, isRetryableStatus, sendWireRequest, OutboundError, readRetryAfterMs } from '@relata/outbound';
import { ChannelError } from './channel.error.ts';

export type Resolve = (url: URL, signal: AbortSignal) => Promise<LookupAddress[]>;

export interface WebhookPost {
  body: string;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  resolve?: Resolve | undefined;
}

const headers = { 'content-type': 'application/json; charset=utf-8', 'user-agent': 'Relata/0.1' };

/**
 * Posts JSON to a webhook; throws `ChannelError` for anything but 2xx. It follows no redirects and does not read the
 * body of the response.
 */
export async function postJson(url: URL, { body, timeoutMs, signal, resolve }: WebhookPost): Promise<void> {
  using deadline = new Deadline(timeoutMs, signal ? [signal] : []);
  let isConnected = false;
  const send = async () => {
    const addresses = await resolve?.(url, deadline.signal);
    const onConnected = () => (isConnected = true);
    const request = { method: 'POST', url, headers, body: Buffer.from(body), signal: deadline.signal, onConnected };
    return sendWireRequest({ ...request, ...(addresses && { addresses }) });
  };
  const response = await send().catch((cause: unknown) => {
    throw failure(cause, deadline, isConnected);
  });
  response.on('error', () => {}).destroy();
  if (response.statusCode! < 200 || response.statusCode! > 299) throw rejected(response);
}

function failure(cause: unknown, { signal }: Deadline, isConnected: boolean): ChannelError {
  const details = { isRetryable: !isConnected, cause };
  const end: unknown = signal.aborted ? signal.reason : undefined;
  if (end instanceof OutboundError)
    return end.code === 'timeout'
      ? new ChannelError('timeout', 'The channel did not answer in time.', details)
      : new ChannelError('aborted', 'Posting to the channel was cancelled.', details);
  if (cause instanceof OutboundError && cause.code === 'refused_address')
    return new ChannelError('refused_address', cause.message, { ...details, isRetryable: false });
  const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
  return new ChannelError('connection', `The channel could not be reached (${code}).`, details);
}

function rejected({ statusCode, headers: { 'retry-after': retryAfter } }: IncomingMessage): ChannelError {
  const isRetryable = isRetryableStatus(statusCode!);
  const retryAfterMs = isRetryable ? readRetryAfterMs(retryAfter) : undefined;
  const details = { isRetryable, retryAfterMs, status: statusCode };
  return new ChannelError('rejected', `The channel answered with status ${statusCode}.`, details);
}
