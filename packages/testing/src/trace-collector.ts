import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { decodeSpans, type ExportedSpan } from './decode-spans.ts';
import { listen } from './listen.ts';

export interface TraceCollector extends AsyncDisposable {
  /** Value for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  url: string;
  /** All spans exported so far. */
  spans: ExportedSpan[];
  /** Exported data as received. */
  bytes: Buffer[];
  /** Paths and content types of the posts. */
  posts: string[];
  /** If a test sets this to true, the collector stops responding but keeps its connections open. */
  isSilent: boolean;
}

type Noted = Omit<TraceCollector, 'url' | typeof Symbol.asyncDispose>;

/**
 * Starts a trace collector: a server that accepts OTLP over HTTP, in the binary format of the standard. With a
 * certificate and its key, both as PEM, it accepts only HTTPS.
 */
export async function startTraceCollector(tls?: { certificate: string; key: string }): Promise<TraceCollector> {
  const collected: Noted = { spans: [], bytes: [], posts: [], isSilent: false };
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request);
    collected.posts.push(`${request.method} ${request.url} ${request.headers['content-type']}`);
    if (collected.isSilent) return;
    collected.bytes.push(body);
    collected.spans.push(...decodeSpans(body));
    response.writeHead(200, { 'Content-Type': 'application/x-protobuf' }).end();
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse) => void take(request, response);
  const server = tls ? createSecureServer({ cert: tls.certificate, key: tls.key }, onRequest) : createServer(onRequest);
  const { port, close } = await listen(server);
  const url = `${tls ? 'https' : 'http'}://127.0.0.1:${port}`;
  return Object.assign(collected, { url, [Symbol.asyncDispose]: close });
}
