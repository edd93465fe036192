import type { ClientRequest, IncomingMessage } from 'node:http';
import http from 'node:http';
import https from 'node:https';
import { ChannelError } from './channel.error.ts';

export interface WebhookPost {
  body: string;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/**
 * Posts JSON to a webhook; anything but a 2xx is a `ChannelError`. Each post has its own connection: on a kept one that
 * the other side closes meanwhile, nobody could tell whether the message arrived.
 */
export async function postJson(url: URL, { body, timeoutMs, signal }: WebhookPost): Promise<void> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const { request: send } = url.protocol === 'https:' ? https : http;
  const headers = { 'content-type': 'application/json; charset=utf-8', 'user-agent': 'Relata/0.1' };
  const request = send(url, { method: 'POST', agent: false, headers });
  const connection = watchConnection(request, url);
  const response = await exchange(request, body, [deadline, ...(signal ? [signal] : [])]).catch((cause: unknown) => {
    throw failure(cause, { isConnected: connection.isMade, isLate: deadline.aborted, isAborted: signal?.aborted });
  });
  if (response.statusCode! < 200 || response.statusCode! > 299) throw rejected(response);
}

/** The message leaves once the connection is made; before that it surely has not arrived. */
function watchConnection(request: ClientRequest, url: URL): { isMade: boolean } {
  const connection = { isMade: false };
  const event = url.protocol === 'https:' ? 'secureConnect' : 'connect';
  request.once('socket', (socket) => socket.once(event, () => (connection.isMade = true)));
  return connection;
}

/** Only the status counts: redirects are not followed, and what else the channel says is not read. */
function exchange(request: ClientRequest, body: string, signals: AbortSignal[]): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const stop = () => request.destroy(new Error('stopped'));
    for (const signal of signals) {
      if (signal.aborted) stop();
      signal.addEventListener('abort', stop, { once: true });
    }
    request.once('close', () => signals.forEach((signal) => signal.removeEventListener('abort', stop)));
    request.on('error', reject);
    request.once('response', (response) => {
      response.on('error', () => {}).destroy();
      resolve(response);
    });
    request.end(body);
  });
}

interface Circumstances {
  isConnected: boolean;
  isLate: boolean;
  isAborted: boolean | undefined;
}

function failure(cause: unknown, { isConnected, isLate, isAborted }: Circumstances): ChannelError {
  const details = { isRetryable: !isConnected, cause };
  if (isAborted) return new ChannelError('aborted', 'Posting to the channel was stopped.', details);
  if (isLate) return new ChannelError('timeout', 'The channel did not answer in time.', details);
  const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
  return new ChannelError('connection', `The channel could not be reached (${code}).`, details);
}

function rejected({ statusCode, headers }: IncomingMessage): ChannelError {
  const isRetryable = statusCode === 429 || statusCode! >= 500;
  const retryAfterMs = isRetryable ? readRetryAfterMs(headers['retry-after']) : undefined;
  const details = { isRetryable, retryAfterMs, status: statusCode };
  return new ChannelError('rejected', `The channel answered with status ${statusCode}.`, details);
}

/** Vendors of channels give whole seconds; an hour at most is believed. */
function readRetryAfterMs(header: string | undefined): number | undefined {
  return header && /^\d{1,9}$/.test(header) ? Math.min(Number(header) * 1_000, 3_600_000) : undefined;
}
