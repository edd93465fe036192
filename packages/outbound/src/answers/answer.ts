import type { IncomingMessage } from 'node:http';
import { readBytes, readExcerpt } from './answer-body.ts';
import { OutboundError } from '../outbound.error.ts';
import type { BeforeLarge, RequestHop } from '../requests/request-hop.ts';
import { readRetryAfterMs } from './retry-after.ts';

/** What a request gave; `json` where the answer is JSON, else `body`. */
export interface OutboundAnswer {
  status: number;
  /** The first hundred, names in lower case; what came several times is joined by commas. */
  headers: Record<string, string>;
  /**
   * As it came: strings may hold U+0000 and lone surrogates, keys may be `__proto__`. Who stores it cleans it.
   */
  json?: unknown;
  body?: string;
}

const headersMax = 100;

/** Nothing that anyone sends on purpose is nested deeper, and what is may be too deep to be written again. */
const depthMax = 100;

/** Parsing less takes well below a millisecond. */
const largeBytes = 65_536;

/** Reads an answer that leads nowhere else; fails with `bad_status` unless it is a success. */
export async function readAnswer(
  hop: RequestHop,
  response: IncomingMessage,
  beforeLarge: BeforeLarge,
): Promise<OutboundAnswer> {
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
  const json = isJson ? parseJson(text) : undefined;
  return json === undefined ? { status, headers, body: text } : { status, headers, json };
}

/** Undefined where it is no JSON after all: the server did its work, and doing it again would not make it better. */
function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isDeeperThan(value, depthMax) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Level by level, since the nesting may be deeper than the stack. */
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

/** From the raw list: node's own object keeps lists for some names and the first value alone for others. */
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
  const isRetryable = [408, 425, 429].includes(status) || status >= 500;
  return new OutboundError('bad_status', `${url.host} answered with status ${status}.`, {
    isRetryable,
    status,
    excerpt: await readExcerpt(response, redaction),
    retryAfterMs: isRetryable ? readRetryAfterMs(response.headers['retry-after']) : undefined,
  });
}
