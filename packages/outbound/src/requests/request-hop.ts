import { validateHeaderName, validateHeaderValue } from 'node:http';
import { isRecord, requestHeaderBytesMax } from '@relata/schemas';
import { OutboundError } from '../outbound.error.ts';

/** Finds the secrets that a request sends; `Redaction` of `@relata/secrets` implements it. */
export interface Redaction {
  holds(text: string): boolean;
  text(text: string): string;
  /** Like `text`, for the beginning of a longer text, which may end in the middle of a secret. */
  beginning(text: string): string;
}

/** A request of a workflow. Method, headers and body come from expressions, so their types are checked again. */
export interface OutboundRequest {
  /** Organization for which the request is sent. Requests share resources fairly by organization. */
  orgId: string;
  method: string;
  url: string;
  headers?: Record<string, string> | undefined;
  /** A value that is sent as JSON; excludes `body`. */
  json?: unknown;
  body?: string | undefined;
  idempotencyKey: string;
  /** Timeout for everything together: lookups, connections, redirects, headers and body. */
  timeoutMs: number;
  /** Header `traceparent`, unless `headers` has one. */
  traceparent?: string | undefined;
  signal: AbortSignal;
  redaction: Redaction;
  /** Awaited before a large response is parsed, since parsing blocks the event loop for a while. */
  beforeLarge: BeforeLarge;
}

export type BeforeLarge = () => Promise<void>;

/** Request to one server; each redirect leads to another hop. */
export interface RequestHop {
  method: string;
  url: URL;
  /** Headers with names in lower case. */
  headers: Map<string, string>;
  body: Buffer | undefined;
  redaction: Redaction;
}

/** Maximum size of a request body: 1 MiB. */
const requestBytesMax = 1_048_576;

const headersMax = 100;
const urlCharsMax = 8_192;
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * Headers that a workflow cannot set: they control the connection, name the host, or identify the call. If data could
 * set `Idempotency-Key`, two calls might look like one.
 */
const ownHeaders =
  /^(host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|content-length|accept-encoding|http2-settings|idempotency-key)$/;

/** Returns the first hop of a request. Throws `invalid_request` or `invalid_url`. */
export function firstHop(request: OutboundRequest, userAgent: string): RequestHop {
  const method = String(request.method).toUpperCase();
  if (!methods.has(method)) throw invalid(`The method must be one of ${[...methods].join(', ')}.`);
  const { body, type } = readBody(request);
  if (body && (method === 'GET' || method === 'HEAD')) throw invalid(`A ${method} request must not have a body.`);
  const headers = new Map([
    ['accept', 'application/json, */*;q=0.5'],
    ['user-agent', userAgent],
    readHeader('idempotency-key', request.idempotencyKey),
    ...(type ? [['content-type', type] as const] : []),
    ...(request.traceparent ? [['traceparent', request.traceparent] as const] : []),
    ...readHeaders(request.headers ?? {}),
  ]);
  return { method, url: parseUrl(String(request.url)), headers, body, redaction: request.redaction };
}

/** Parses a URL to request, or the target of a redirect. Throws `invalid_url`. */
export function parseUrl(text: string, base?: URL): URL {
  const url = text.length <= urlCharsMax ? URL.parse(text, base) : null;
  if (!url) throw new OutboundError('invalid_url', `The URL is not valid, or longer than ${urlCharsMax} characters.`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new OutboundError('invalid_url', 'The URL must begin with http:// or https://.');
  }
  if (url.username || url.password) {
    throw new OutboundError('invalid_url', 'The URL must not contain a user name or a password. Use a header.');
  }
  return url;
}

function readBody({ json, body }: OutboundRequest): { body?: Buffer; type?: string } {
  if (json !== undefined && body !== undefined) throw invalid('Give json or body, not both.');
  const text = json === undefined ? body : toJson(json);
  if (text === undefined) return {};
  if (typeof text !== 'string') throw invalid('The body must be text. For other values, use json.');
  const bytes = Buffer.from(text);
  if (bytes.length > requestBytesMax) throw invalid(`The body is larger than ${requestBytesMax} bytes.`);
  return { body: bytes, type: json === undefined ? 'text/plain;charset=UTF-8' : 'application/json' };
}

/** Serializes a value. Throws if it contains a cycle or a bigint, or is nested too deeply. */
function toJson(value: unknown): string {
  try {
    const text = JSON.stringify(value) as string | undefined;
    if (text !== undefined) return text;
  } catch {
    // Our own error is thrown below, since the engine's message may quote the value.
  }
  throw invalid('The value of json cannot be converted to JSON.');
}

function readHeaders(given: unknown): [string, string][] {
  if (!isRecord(given)) throw invalid('The headers must be an object.');
  const own = Object.keys(given).find((name) => ownHeaders.test(name.toLowerCase()));
  if (own !== undefined) throw invalid(`The header ${own.toLowerCase()} must not be set.`);
  const headers = Object.entries(given).map(([name, value]) => readHeader(name, value));
  const bytes = headers.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (headers.length > headersMax) throw invalid(`There are more than ${headersMax} headers.`);
  if (bytes > requestHeaderBytesMax) throw invalid(`The headers are larger than ${requestHeaderBytesMax} bytes.`);
  return headers;
}

function readHeader(name: string, value: unknown): [string, string] {
  try {
    if (!['string', 'number', 'boolean'].includes(typeof value)) throw new TypeError('Not text.');
    validateHeaderName(name);
    validateHeaderValue(name, String(value));
  } catch {
    // The message quotes neither name nor value: a value may be a secret, and a name may be any text.
    throw invalid('A header has a name or a value that HTTP does not allow.');
  }
  return [name.toLowerCase(), String(value)];
}

const invalid = (message: string) => new OutboundError('invalid_request', message);
