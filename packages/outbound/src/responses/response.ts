import type { IncomingMessage } from 'node:http';
import { withExactNumbers } from '@relata/schemas/errors';
import { readBytes, readExcerpt } from './response-body.ts';
import { OutboundError } from '../outbound.error.ts';
import type { BeforeLarge, RequestHop } from '../requests/request-hop.ts';
import { readRetryAfterMs } from './retry-after.ts';
import { isRetryableStatus } from './retryable-status.ts';

/** Response to a request. `json` is set if it is JSON, otherwise `body`. */
export interface OutboundResponse {
  status: number;
  /** The first 100 headers, names in lower case; values of repeated headers are joined by commas. */
  headers: Record<string, string>;
  /**
   * Parsed JSON as received: strings may contain U+0000 and lone surrogates, and keys may be `__proto__`. Clean it
   * before storing it. Whole numbers beyond 2^53 are strings, because the response is stored and read again as JSON.
   */
  json?: unknown;
  body?: string;
}

const headersMax = 100;

/**
 * Maximum nesting of JSON. Deeper data is hardly ever sent on purpose, and might be too deep to be serialized again.
 */
const depthMax = 100;

/** Size from which parsing takes long. Smaller bodies take much less than a millisecond. */
const largeBytes = 65_536;

/** Reads a response that is not a redirect to follow. Throws `bad_status` unless its status is 200 to 399. */
export async function readResponse(
  hop: RequestHop,
  response: IncomingMessage,
  beforeLarge: BeforeLarge,
): Promise<OutboundResponse> {
  const status = response.statusCode!;
  if (status < 200 || status > 399) throw await badStatus(hop, response);
  const headers = readHeaders(response.rawHeaders);
  if (hop.method === 'HEAD' || status === 204 || status === 304) {
    response.destroy();
    return { status, headers, body: '' };
  }
  const bytes = await readBytes(response);
  if (bytes.length > largeBytes) await beforeLarge();
  const text = new TextDecoder().decode(bytes);
  const isJson = /^application\/([^;\s]*\+)?json\s*(;|$)/i.test(response.headers['content-type'] ?? '');
  const json = isJson ? parseJson(text, bytes) : undefined;
  return json === undefined ? { status, headers, body: text } : { status, headers, json };
}

/**
 * Parses JSON; returns undefined if the text is not JSON or is nested too deeply. That is not an error: the server has
 * done its work, and repeating the request would not help.
 */
function parseJson(text: string, bytes: Uint8Array): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isDeeperThan(value, depthMax) ? undefined : withExactNumbers(value, bytes, String);
  } catch {
    return undefined;
  }
}

/** Returns true if the value is nested deeper than `levels`. Checks level by level: recursion could overflow. */
function isDeeperThan(value: unknown, levels: number): boolean {
  let level = [value];
  for (let depth = 0; depth <= levels; depth += 1) {
    level = level.flatMap((item) =>
      typeof item === 'object' && item !== null ? (Object.values(item) as unknown[]) : [],
    );
    if (level.length === 0) return false;
  }
  return true;
}

/**
 * Reads the raw list of headers, since Node's own object has a list for some names and only the first value for others.
 */
function readHeaders(raw: string[]): Record<string, string> {
  const headers = new Map<string, string>();
  for (let index = 0; index < raw.length && headers.size < headersMax; index += 2) {
    const name = raw[index]!.toLowerCase();
    const before = headers.get(name);
    headers.set(name, before === undefined ? raw[index + 1]! : `${before}, ${raw[index + 1]!}`);
  }
  return Object.fromEntries(headers);
}

async function badStatus({ url, redaction }: RequestHop, response: IncomingMessage): Promise<OutboundError> {
  const status = response.statusCode!;
  const isRetryable = isRetryableStatus(status);
  return new OutboundError('bad_status', `${url.host} answered with status ${status}.`, {
    isRetryable,
    status,
    excerpt: await readExcerpt(response, redaction),
    retryAfterMs: isRetryable ? readRetryAfterMs(response.headers['retry-after']) : undefined,
  });
}
