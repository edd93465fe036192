import type { IncomingMessage } from 'node:http';

// These describe one connection, not the message (RFC 9110, section 7.6.1).
const connectionHeaders = ['connection', 'keep-alive', 'proxy-connection', 'upgrade', 'te', 'trailer'];
// The body of an answer gets a framing of its own. That of a request keeps the announced one: the app decides by it,
// and must see an encoding such as `gzip, chunked`.
const notInAnswers = new Set([...connectionHeaders, 'transfer-encoding']);
const notInRequests = new Set([...connectionHeaders, 'x-forwarded-for']);

/**
 * The headers that the app gets. It trusts one proxy, so only the last forwarded address counts; a claimed one comes
 * before.
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

/** The headers of an app's answer as they are: names, order and repetitions too. */
export function answerHeaders({ rawHeaders }: IncomingMessage): string[] {
  return without(notInAnswers, rawHeaders);
}

function without(dropped: ReadonlySet<string>, raw: readonly string[]): string[] {
  const passed: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = '', value = ''] = [raw[at], raw[at + 1]];
    if (!dropped.has(name.toLowerCase())) passed.push(name, value);
  }
  return passed;
}
