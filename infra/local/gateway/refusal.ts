import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ErrorFormat, protocolResponse, type ProtocolStatus, readRequestId } from '@relata/http';
import { errorBody } from '@relata/schemas/errors';
import { serviceOf } from '../../services.ts';
import { appFor } from './routes.ts';

/** Starts the gateway's own response if an app cannot be reached, in the format of the app's errors. */
export function sendUnavailable(request: IncomingMessage, response: ServerResponse): void {
  const requestId = readRequestId(request);
  const body = Buffer.from(JSON.stringify(unavailableBody(request.url ?? '', requestId)));
  response.writeHead(503, {
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    'Retry-After': '1',
    'X-Request-Id': requestId,
  });
  response.write(body);
}

function unavailableBody(url: string, requestId: string): object {
  if (errorFormatOf(url) === 'webhook') return { error: 'service unavailable, try again later' };
  const message = 'This part of the service is starting. Try again in a moment.';
  return errorBody({ code: 'service_unavailable', message }, requestId);
}

/** Returns the error format of the app that serves a path. */
export function errorFormatOf(url = ''): ErrorFormat {
  return serviceOf(appFor(url)).errorFormat ?? 'api';
}

/** Starts the response to a request that is passed to no app. The connection is closed after this response. */
export function sendMalformed(response: ServerResponse, status: ProtocolStatus): void {
  const { headers, text } = protocolResponse(status, errorFormatOf(response.req.url));
  response.writeHead(status, headers);
  response.write(text);
}
