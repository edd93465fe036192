import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { Redaction } from '@relata/secrets';
import { onTestFinished } from 'vitest';
import { DnsLookups } from './addresses/dns-lookups.ts';
import { outboundAllowSetting } from './addresses/outbound-allow.ts';
import type { Resolve } from './addresses/resolve-allowed.ts';
import { createOutbound, type Outbound } from './outbound.ts';
import type { OutboundRequest } from './requests/request-hop.ts';

/** A local server that simulates an external server. */
export interface Stranger {
  port: number;
  url: string;
  /** Number of connections made to it so far. */
  connections: number;
}

async function listen(server: Server, host = '127.0.0.1'): Promise<Stranger> {
  const stranger = { port: 0, url: '', connections: 0 };
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    stranger.connections += 1;
    sockets.add(socket.on('error', () => {}));
  });
  server.listen(0, host);
  await once(server, 'listening');
  stranger.port = (server.address() as AddressInfo).port;
  stranger.url = `http://${host}:${stranger.port}`;
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return stranger;
}

export const serve = (listener: RequestListener, host?: string) => listen(createHttpServer(listener), host);

/** Starts a TCP server; the test decides what it sends. */
export const serveRaw = (listener: (socket: Socket) => void) => listen(createServer(listener));

type Ask = (url: string, request?: Partial<OutboundRequest>) => ReturnType<Outbound['request']>;

/** Creates a client with a value of `OUTBOUND_ALLOW` and, optionally, its own resolver or lookups. */
export function outboundWith(allow: string, by?: Resolve | DnsLookups): Ask & Outbound & AsyncDisposable {
  const lookups = typeof by === 'function' ? new DnsLookups({ resolve: by }) : (by ?? new DnsLookups());
  const outbound = createOutbound({ allow: outboundAllowSetting.parse(allow), userAgent: 'Relata/0.1', lookups });
  const defaults = {
    orgId: 'ours',
    method: 'GET',
    headers: {},
    idempotencyKey: 'run-1:step-1',
    timeoutMs: 60_000,
    redaction: new Redaction(),
    beforeLarge: () => Promise.resolve(),
  };
  const ask: Ask = (url, request) =>
    outbound.request({ ...defaults, signal: new AbortController().signal, ...request, url });
  return Object.assign(ask, outbound);
}

/** Creates a resolver that returns the same addresses for every name and records the names. */
export function fixedResolver(...addresses: string[]) {
  const resolve = (hostname: string) => {
    resolve.asked.push(hostname);
    return Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
  };
  resolve.asked = [] as string[];
  return resolve;
}
