import { parse as parseQuery } from 'node:querystring';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Random } from '@relata/testbed/random';
import { bytesOf, mutated, valueOf } from './bodies.ts';
import { contentTypes, headerNames, headerValues, methods, queryPieces, segments, texts } from './hostile.ts';
import type { Called } from './surface.ts';

/** The values that make a request valid. */
export interface Known {
  /** Ids by the name of a path's parameter, and ids of records. */
  params: Readonly<Record<string, readonly string[]>>;
  ids: readonly string[];
  headers: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface FuzzRequest {
  bytes: Buffer;
  /** True if its declared length is wrong, so that the server may close the connection instead of answering. */
  isCutOff: boolean;
  /** Names of the parameters in its query, as a server reads them. */
  parameters: readonly string[];
}

/** Returns the bytes of one request, which are the same for the same random numbers and known values. */
export function requestOf(called: Called, random: Random, known: Known): FuzzRequest {
  const headers = headersOf(called, random, known);
  const method = random.has(0.08) ? random.pick(methods) : called.method;
  const body = bodyOf(called, random, known);
  const sent = body && encoded(body, headers, random);
  // A random header may declare another length.
  const isOff = headers.some(([name]) => name === 'Content-Length' || name === 'Transfer-Encoding');
  const isCutOff = isOff || (sent !== undefined && random.has(0.02));
  if (sent) framed(sent, headers, random, isCutOff);
  const version = random.has(0.01) ? random.pick(['HTTP/1.0', 'HTTP/1.2', 'HTTP/2.0', 'HTTX/1.1', '']) : 'HTTP/1.1';
  const target = targetOf(called, random, known);
  const head = `${method} ${target} ${version}\r\n${headers.map(lineOf).join('')}\r\n`;
  const isChunked = headers.some(([name, value]) => name === 'Transfer-Encoding' && value === 'chunked');
  const payload = sent && (isChunked ? chunked(sent) : sent);
  return {
    bytes: Buffer.concat([Buffer.from(head, 'latin1'), payload ?? Buffer.alloc(0)]),
    isCutOff,
    parameters: namesIn(target),
  };
}

const namesIn = (target: string) =>
  target.includes('?') ? Object.keys(parseQuery(target.slice(target.indexOf('?') + 1), '&', '=', { maxKeys: 0 })) : [];

type Header = [name: string, value: string];
const lineOf = ([name, value]: Header) => `${name}: ${value}\r\n`;

function targetOf(called: Called, random: Random, known: Known): string {
  let path = called.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    random.has(0.15) ? random.pick(segments) : random.pick(known.params[name] ?? known.ids),
  );
  if (random.has(0.06)) path = bent(path, random);
  const query = queryOf(called, random, known);
  const target = query === '' ? path : `${path}?${query}`;
  if (random.has(0.02)) return random.pick(['http://x', 'http://[', 'https://user@h:1', '//h', 'x:']) + target;
  return random.has(0.005) ? random.pick(['*', '', 'x', '?', '#', 'h:443']) : target;
}

/** Returns a path that differs slightly from the given one. */
function bent(path: string, random: Random): string {
  const parts = path.split('/');
  parts.splice(random.between(1, parts.length), random.between(0, 1), random.pick(segments));
  const joined = parts.join(random.has(0.1) ? '//' : '/');
  return random.pick([joined, `${joined}/`, joined.toUpperCase(), `/..${joined}`, joined.replace('/', '/%2e/')]);
}

/** Average number of parameters in a request to an operation that has dozens of parameters. */
const parametersUsual = 4;

function queryOf({ query }: Called, random: Random, known: Known): string {
  const pieces: string[] = [];
  const all = Object.entries(query?.properties ?? {});
  // A list refuses a query with more than 8 filters before it reads any of them.
  const share = Math.min(0.3, parametersUsual / all.length);
  for (const [name, schema] of all) {
    if (!random.has(share)) continue;
    // A longer wait for events would occupy a connection.
    const valid = name === 'wait' ? '0' : valueOf(schema, random, known.ids);
    for (const each of Array.isArray(valid) ? valid : [valid]) {
      const value = random.has(0.3) ? random.pick(texts) : String(each);
      pieces.push(`${name}=${random.has(0.1) ? latin1(value) : encodeURIComponent(value.toWellFormed())}`);
    }
  }
  if (random.has(0.1)) pieces.push(random.pick(queryPieces));
  return pieces.join('&');
}

/** Removes characters that a head must not contain: line ends, spaces, and characters beyond one byte. */
const latin1 = (text: string) => text.replaceAll(/[^\u0021-\u00ff]/g, '');

function headersOf({ id, app, method }: Called, random: Random, known: Known): Header[] {
  const headers: Header[] = [['Host', 'fuzz.example']];
  // Requests to sign out do not send the session, because the other requests still need it.
  const own = id === 'signOut' ? [] : Object.entries(known.headers[app] ?? {});
  for (const [name, value] of own) {
    if (random.has(0.04)) continue;
    headers.push([name, random.has(0.04) ? random.pick(headerValues) : value]);
    if (random.has(0.02)) headers.push([name, random.pick(headerValues)]);
  }
  if (method !== 'GET')
    headers.push(['Content-Type', random.has(0.05) ? random.pick(contentTypes) : 'application/json']);
  for (let left = random.has(0.2) ? random.between(1, 4) : 0; left > 0; left--)
    headers.push([random.pick(headerNames), random.pick(headerValues)]);
  if (random.has(0.002)) headers.push(...Array.from({ length: 2_001 }, (_, at): Header => [`X-${at}`, '1']));
  if (random.has(0.05)) headers.push(['Cookie', random.pick(['=', 'a', 'relata_session=%zz', '__proto__=1; a="'])]);
  headers.push(['Connection', 'close']);
  return random.has(0.1) ? random.shuffled(headers) : headers;
}

function bodyOf({ body, example }: Called, random: Random, known: Known): Buffer | undefined {
  if (!body && !random.has(0.02)) return undefined;
  const whole = example !== undefined && random.has(0.4) ? example : valueOf(body ?? {}, random, known.ids);
  return bytesOf(random.has(0.6) ? mutated(whole, random) : whole, random);
}

const encodings = {
  gzip: gzipSync,
  br: brotliCompressSync,
  deflate: deflateSync,
  identity: (bytes: Buffer) => bytes,
  'gzip, gzip': (bytes: Buffer) => gzipSync(gzipSync(bytes)),
  nonsense: (bytes: Buffer) => bytes,
} as const;

function encoded(body: Buffer, headers: Header[], random: Random): Buffer {
  if (!random.has(0.08)) return body;
  const name = random.pick(Object.keys(encodings) as (keyof typeof encodings)[]);
  headers.push(['Content-Encoding', name]);
  const bytes = random.has(0.3) ? body : encodings[name](body);
  return random.has(0.1) ? bytes.subarray(0, bytes.length >> 1) : bytes;
}

function framed(body: Buffer, headers: Header[], random: Random, isCutOff: boolean): void {
  const isChunked = !isCutOff && random.has(0.05);
  if (isChunked) headers.push(['Transfer-Encoding', 'chunked']);
  if (!isChunked || random.has(0.02)) headers.push(['Content-Length', String(body.length + (isCutOff ? 10 : 0))]);
  if (random.has(0.01)) headers.push(['Expect', random.pick(['100-continue', 'nonsense'])]);
}

const chunked = (body: Buffer) =>
  Buffer.concat([
    Buffer.from(`${body.length.toString(16)}\r\n`),
    body,
    Buffer.from(body.length > 0 ? '\r\n0\r\n\r\n' : '\r\n'),
  ]);
