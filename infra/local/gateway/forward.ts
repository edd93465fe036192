import {
  request as openRequest,
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { requestHeaders } from './headers.ts';
import { sendUnavailable } from './refusal.ts';
import { endResponse, forwardResponse } from './response.ts';

/** A request on its way to an app, and its response on the way back. */
export interface ForwardedRequest {
  request: IncomingMessage;
  response: ServerResponse;
  app: URL;
  agent: Agent;
  /** Returns true if the next response must close its connection. */
  isClosing(): boolean;
}

// Limits the time without data, not the total time: a stream can continue as long as data arrives now and then.
const silenceMaxMs = 120_000;

/** Passes a request to its app and the response to the client, or answers 503 if the app cannot be reached. */
export function forward(forwarded: ForwardedRequest, attempt = 1): void {
  const { request, response } = forwarded;
  const upstream = openUpstream(forwarded);
  // Once the response has ended, the gateway reads no more data from the app.
  response.once('close', () => upstream.destroy());
  upstream.once('timeout', () => upstream.destroy());
  upstream.once('response', (upstreamResponse) => onResponse(forwarded, upstreamResponse));
  // 100 Continue comes from the app, which decides whether it reads the body.
  upstream.once('continue', () => response.headersSent || response.writeContinue());
  upstream.on('error', (error) => onError(forwarded, error, attempt));
  request.pipe(upstream);
  // The app may answer before the body has arrived, so the headers are sent now, together with a body that has already
  // arrived.
  setImmediate(() => upstream.writableEnded || upstream.flushHeaders());
}

function openUpstream({ request, app, agent }: ForwardedRequest): ClientRequest {
  return openRequest({
    agent,
    hostname: app.hostname,
    port: app.port,
    method: request.method,
    // Passed on exactly as received, because parsing and formatting it again could change its meaning.
    path: request.url,
    headers: requestHeaders(request, app.host),
    // Without this, Node would add headers of a body to a request that has no body.
    setDefaultHeaders: false,
    timeout: silenceMaxMs,
  });
}

function onResponse({ request, response, isClosing }: ForwardedRequest, upstreamResponse: IncomingMessage): void {
  // The gateway has already refused the request, because the rest of the request was malformed.
  if (response.headersSent) return void upstreamResponse.resume();
  if (isClosing()) response.shouldKeepAlive = false;
  forwardResponse(upstreamResponse, request, response);
}

function onError(forwarded: ForwardedRequest, error: Error, attempt: number): void {
  const { request, response } = forwarded;
  if (response.headersSent || response.destroyed) return;
  if (attempt === 1 && isRepeatable(request)) return forward(forwarded, 2);
  if (!isUndone(request, error)) return void response.destroy();
  sendUnavailable(request, response);
  endResponse(request, response);
}

// Returns true for a request that can safely be sent again. The first attempt may have used a kept connection just as
// the app closed it.
function isRepeatable({ method, headers }: IncomingMessage): boolean {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  return (method === 'GET' || method === 'HEAD') && !hasBody;
}

// Returns true if 503 is a correct answer. It promises that nothing was done: the app was never reached, the method
// changes nothing, or the app never got the whole request. Otherwise the app may have done its work and ended before it
// answered. The connection is then closed without a response, as it would be without a gateway, and the sender decides
// whether to send the request again.
function isUndone({ method, complete }: IncomingMessage, error: Error): boolean {
  const wasNeverReached = 'syscall' in error && error.syscall === 'connect';
  const changesNothing = method === 'GET' || method === 'HEAD';
  return wasNeverReached || changesNothing || !complete;
}
