import { connect } from 'node:net';
import type { FuzzRequest } from './request.ts';

/** A response; status 0 if the connection was closed without one. */
export interface FuzzResponse {
  status: number;
  headers: ReadonlyMap<string, string>;
  body: string;
}

const none: FuzzResponse = { status: 0, headers: new Map(), body: '' };
const responseTimeoutMs = 20_000;

/** Sends a request, which may be invalid HTTP, on a new connection, and reads the response. */
export function send(url: string, { bytes, isCutOff }: FuzzRequest): Promise<FuzzResponse> {
  const { hostname, port } = new URL(url);
  const isHead = bytes.toString('latin1', 0, 5) === 'HEAD ';
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    const settle = (response: FuzzResponse) => {
      socket.destroy();
      resolve(response);
    };
    socket.setEncoding('latin1').setTimeout(responseTimeoutMs);
    socket.on('timeout', () => {
      socket.destroy();
      reject(
        new Error(`No complete response within ${responseTimeoutMs / 1_000} s: ${JSON.stringify(text.slice(0, 200))}`),
      );
    });
    socket.on('data', (chunk: string) => {
      text += chunk;
      const response = wholeResponse(text, isHead);
      if (response) settle(response);
    });
    // A server that refuses a head closes the connection while the rest is still being sent.
    socket.on('error', () => settle(responseIn(text) ?? none));
    socket.on('close', () => settle(responseIn(text) ?? none));
    socket.write(bytes);
    if (isCutOff) socket.end();
  });
}

/** Returns the response once all of it has arrived. */
function wholeResponse(text: string, isHead: boolean): FuzzResponse | undefined {
  const response = responseIn(text);
  if (!response) return undefined;
  const { headers, status, body } = response;
  const hasNone = isHead || status === 204 || status === 304 || headers.get('content-type')?.startsWith('text/event-');
  const length = headers.get('content-length');
  return hasNone || (length !== undefined && body.length >= Number(length)) ? response : undefined;
}

/** Returns the part of the response that has arrived; undefined until its head is complete. */
function responseIn(text: string): FuzzResponse | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [first, ...lines] = text.slice(0, end).split('\r\n');
  const status = Number(first!.slice(9, 12));
  if (status < 200) return responseIn(text.slice(end + 4));
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.replace(/^[^:]*: */, '')]),
  );
  return { status, headers, body: text.slice(end + 4) };
}
