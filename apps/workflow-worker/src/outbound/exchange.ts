import type { LookupAddress } from 'node:dns';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Hop } from './hop.ts';

/** The largest head of an answer, in bytes; a larger one is a broken connection. */
const headBytesMax = 16_384;

/**
 * Sends one request over a connection of its own, made to one of the given addresses: a pool would have to remember for
 * which of them each connection was judged. `lookup` is not called where the host is an address itself, which is then
 * the one that was judged.
 */
export function exchange(hop: Hop, addresses: LookupAddress[], signal: AbortSignal): Promise<IncomingMessage> {
  const { request: send } = hop.url.protocol === 'https:' ? https : http;
  const headers = Object.fromEntries(hop.headers);
  // Without it DELETE and OPTIONS would send their body without a frame.
  if (hop.body) headers['content-length'] = String(hop.body.length);
  headers['accept-encoding'] = 'gzip, deflate, br';
  return new Promise((resolve, reject) => {
    const request = send(hop.url, {
      method: hop.method,
      headers,
      agent: false,
      lookup: onlyThese(addresses),
      maxHeaderSize: headBytesMax,
      signal,
    });
    request.once('response', resolve);
    request.on('error', reject);
    // The end of a connection that switched protocols is no error to node.
    request.once('close', () => reject(Object.assign(new Error('No answer.'), { code: 'ECONNRESET' })));
    request.end(hop.body);
  });
}

/** Node asks for all addresses, to try one after another, unless the process was told not to. */
function onlyThese(addresses: LookupAddress[]): LookupFunction {
  const [first] = addresses as [LookupAddress];
  return (_hostname, { all }, answer) => (all ? answer(null, addresses) : answer(null, first.address, first.family));
}
