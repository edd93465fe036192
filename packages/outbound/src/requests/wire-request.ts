import type { LookupAddress } from 'node:dns';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { tracing } from '@relata/telemetry';
import type { Redaction } from './request-hop.ts';

/** Maximum size of a response head, in bytes. A larger head counts as a broken connection. */
const headBytesMax = 16_384;

export interface WireRequest {
  method: string;
  url: URL;
  headers: Readonly<Record<string, string>>;
  body?: Buffer | undefined;
  /** The only addresses to connect to; if omitted, the operating system resolves the host. */
  addresses?: LookupAddress[];
  signal: AbortSignal;
  /** Called once the connection is established. Before that, the request cannot have arrived. */
  onConnected?: () => void;
  /** Redaction of the secrets that the URL may contain. */
  redaction?: Redaction;
}

/**
 * Sends one request over its own connection, and returns the response once its head has arrived. A connection pool
 * would have to track the checked addresses of each connection. Also, if the server closes a reused connection, it is
 * unknown whether the request arrived.
 */
export function sendWireRequest(request: WireRequest): Promise<IncomingMessage> {
  return tracing ? sendTraced(request) : send(request);
}

/** Sends a request with a span. The server receives our `traceparent`, unless the request has its own. */
function sendTraced(request: WireRequest): Promise<IncomingMessage> {
  return tracing!.child(request.method, { kind: 'client', attributes: attributesOf(request) }, async (trace) => {
    const traceparent = (trace ?? tracing?.active())?.traceparent;
    const response = await send(traceparent ? { ...request, headers: { traceparent, ...request.headers } } : request);
    const status = response.statusCode!;
    trace?.set({ 'http.response.status_code': status });
    if (status >= 400) trace?.fail(status);
    return response;
  });
}

/** Returns the span attributes, without path and query: either may be a secret, as in a team channel's URL. */
function attributesOf({ method, url, redaction }: WireRequest) {
  return {
    'http.request.method': method,
    'url.scheme': url.protocol.slice(0, -1),
    'server.address': redaction?.holds(url.hostname) ? undefined : url.hostname,
    'server.port': Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
  };
}

function send({ url, signal, ...given }: WireRequest): Promise<IncomingMessage> {
  const { request: open } = url.protocol === 'https:' ? https : http;
  const headers = { ...given.headers };
  // Without `Content-Length`, Node would send the body of DELETE and OPTIONS without framing.
  if (given.body) headers['content-length'] = String(given.body.length);
  const options = { method: given.method, headers, agent: false, maxHeaderSize: headBytesMax, signal };
  return new Promise((resolve, reject) => {
    // Node does not call `lookup` if the host is an IP address. That address has been checked, too.
    const request = open(url, given.addresses ? { ...options, lookup: onlyThese(given.addresses) } : options);
    const connected = url.protocol === 'https:' ? 'secureConnect' : 'connect';
    if (given.onConnected) request.once('socket', (socket) => socket.once(connected, given.onConnected!));
    request.once('response', resolve);
    request.on('error', reject);
    // Node emits no error if the server closes the connection after switching protocols.
    request.once('close', () => reject(Object.assign(new Error('No response.'), { code: 'ECONNRESET' })));
    request.end(given.body);
  });
}

/**
 * Returns a lookup of only these addresses. Node requests all addresses and tries them one after another, unless the
 * process was started with `--no-network-family-autoselection`.
 */
function onlyThese(addresses: LookupAddress[]): LookupFunction {
  const [first] = addresses as [LookupAddress];
  return (_hostname, { all }, callback) =>
    all ? callback(null, addresses) : callback(null, first.address, first.family);
}
