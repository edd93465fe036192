import type { IncomingMessage } from 'node:http';

// These describe one connection, not the message (RFC 9110, section 7.6.1).
const connectionHeaders = ['connection', 'keep-alive', 'proxy-connection', 'upgrade', 'te', 'trailer'];
// The gateway frames the body of a response itself. A request keeps its `Transfer-Encoding`, because the app acts on it
// and must see an encoding such as `gzip, chunked`.
const notInResponses = new Set([...connectionHeaders, 'transfer-encoding']);
const notInRequests = new Set([...connectionHeaders, 'x-forwarded-for']);

/**
 * Returns the headers for the app. The app trusts one proxy, so it uses only the last forwarded address, which the
 * gateway appends to any addresses that the client claims.
 */
export function requestHeaders({ rawHeaders, headers, socket }: IncomingMessage, appHost: string): string[] {
  const passed = without(notInRequests, rawHeaders);
  // HTTP/1.0 needs no Host, but the request to the app is HTTP/1.1.
  if (headers.host === undefined) passed.push('Host', appHost);
  const claimed = headers['x-forwarded-for'];
  const chain = [...(claimed ? [claimed] : []), socket.remoteAddress ?? ''].join(', ');
  passed.push('X-Forwarded-For', chain);
  return passed;
}

/** Returns the headers of an app's answer unchanged, with their spelling, order and repetitions. */
export function responseHeaders({ rawHeaders }: IncomingMessage): string[] {
  return without(notInResponses, rawHeaders);
}

function without(dropped: ReadonlySet<string>, raw: readonly string[]): string[] {
  const passed: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = '', value = ''] = [raw[at], raw[at + 1]];
    if (!dropped.has(name.toLowerCase())) passed.push(name, value);
  }
  return passed;
}
