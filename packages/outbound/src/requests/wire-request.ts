import type { LookupAddress } from 'node:dns';
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { type Trace, tracing } from '@relata/telemetry';
import type { Redaction } from './redaction.ts';

/** The largest head of an answer, in bytes; a larger one is a broken connection. */
const headBytesMax = 16_384;

/** One request to one server. */
export interface WireRequest {
  method: string;
  url: URL;
  headers: Readonly<Record<string, string>>;
  body?: Buffer | undefined;
  /** The only addresses that may be connected to; without them those that the system finds. */
  addresses?: LookupAddress[];
  signal: AbortSignal;
  /** Called once the connection is made and the request leaves; before that it surely has not arrived. */
  onConnected?: () => void;
  /** Of the secrets that the URL may have. */
  redaction?: Redaction;
}

/**
 * Sends one request over a connection of its own, and returns the answer when its head is there. A pool would have to
 * track for which addresses each connection was resolved; and on a kept connection that the other side closes meanwhile,
 * it is unknown whether the request arrived.
 */
export function sendWireRequest(request: WireRequest): Promise<IncomingMessage> {
  return tracing ? sendTraced(request) : send(request);
}

/** The server is given the trace, unless the request names one by itself. */
function sendTraced(request: WireRequest): Promise<IncomingMessage> {
  return tracing!.child(request.method, { kind: 'client', attributes: attributesOf(request) }, async (trace) => {
    const traceparent = (trace ?? tracing?.active())?.traceparent;
    const response = await send(traceparent ? { ...request, headers: { traceparent, ...request.headers } } : request);
    noteStatus(trace, response.statusCode!);
    return response;
  });
}

/** Neither path nor query: either may be a secret, as they are of a team's channel. */
function attributesOf({ method, url, redaction }: WireRequest) {
  return {
    'http.request.method': method,
    'url.scheme': url.protocol.slice(0, -1),
    'server.address': redaction?.holds(url.hostname) ? undefined : url.hostname,
    'server.port': Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
  };
}

function noteStatus(trace: Trace | undefined, status: number): void {
  trace?.set({ 'http.response.status_code': status });
  if (status >= 400) trace?.fail(status);
}

function send({ url, signal, ...given }: WireRequest): Promise<IncomingMessage> {
  const { request: open } = url.protocol === 'https:' ? https : http;
  const headers = { ...given.headers };
  // Without it DELETE and OPTIONS would send their body without a frame.
  if (given.body) headers['content-length'] = String(given.body.length);
  const options = { method: given.method, headers, agent: false, maxHeaderSize: headBytesMax, signal };
  return new Promise((resolve, reject) => {
    // `lookup` is not called where the host is an address itself, which is then the one that was resolved.
    const request = open(url, given.addresses ? { ...options, lookup: onlyThese(given.addresses) } : options);
    if (given.onConnected) request.once('socket', whenConnected(url, given.onConnected));
    request.once('response', resolve);
    request.on('error', reject);
    // The end of a connection that switched protocols is no error to node.
    request.once('close', () => reject(Object.assign(new Error('No answer.'), { code: 'ECONNRESET' })));
    request.end(given.body);
  });
}

function whenConnected({ protocol }: URL, onConnected: () => void): (socket: ClientRequest['socket']) => void {
  return (socket) => socket?.once(protocol === 'https:' ? 'secureConnect' : 'connect', onConnected);
}

/** Node asks for all addresses, to try one after another, unless the process was started otherwise. */
function onlyThese(addresses: LookupAddress[]): LookupFunction {
  const [first] = addresses as [LookupAddress];
  return (_hostname, { all }, answer) => (all ? answer(null, addresses) : answer(null, first.address, first.family));
}
