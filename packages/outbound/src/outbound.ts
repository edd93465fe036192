import type { LookupAddress } from 'node:dns';
import { unlessAborted } from '@relata/runtime';
import { type OutboundResponse, readResponse } from './responses/response.ts';
import { Deadline } from './requests/deadline.ts';
import { sendWireRequest } from './requests/wire-request.ts';
import type { DnsLookups } from './addresses/dns-lookups.ts';
import type { OutboundAllow } from './addresses/outbound-allow.ts';
import { OutboundError } from './outbound.error.ts';
import { nextHop } from './requests/redirect.ts';
import { type BeforeLarge, firstHop, type OutboundRequest, type RequestHop } from './requests/request-hop.ts';
import { type Resolve, resolveAllowed } from './addresses/resolve-allowed.ts';

/** Client for requests of workflows, whose URLs no operator has approved. */
export interface Outbound {
  /**
   * Sends a request, follows at most 5 redirects, and returns a successful response; otherwise throws `OutboundError`.
   * It reaches only the public internet and the exceptions of `OUTBOUND_ALLOW`.
   */
  request(request: OutboundRequest): Promise<OutboundResponse>;
}

export interface OutboundOptions {
  allow: OutboundAllow;
  userAgent: string;
  lookups: DnsLookups;
}

const redirectsMax = 5;

/** Creates a client. Disposing of it aborts the requests in flight, which fail with `aborted`. */
export function createOutbound(options: OutboundOptions): Outbound & AsyncDisposable {
  const { allow, userAgent, lookups } = options;
  const closing = new AbortController();
  const underWay = new Set<Promise<unknown>>();
  const send = async (request: OutboundRequest) => {
    const hop = firstHop(request, userAgent);
    using deadline = new Deadline(request.timeoutMs, [request.signal, closing.signal]);
    const find: Resolve = (hostname) => lookups.find(request.orgId, hostname, deadline.signal);
    const { beforeLarge } = request;
    const resolve = async (url: URL) => (await resolveAllowed(url, allow, find)).addresses;
    return await follow(hop, deadline, { resolve, beforeLarge });
  };
  return {
    async request(request) {
      const sending = send(request);
      underWay.add(sending);
      try {
        return await sending;
      } finally {
        underWay.delete(sending);
      }
    },
    async [Symbol.asyncDispose]() {
      closing.abort();
      await Promise.allSettled(underWay);
    },
  };
}

interface Guards {
  resolve(url: URL): Promise<LookupAddress[]>;
  beforeLarge: BeforeLarge;
}

async function follow(first: RequestHop, deadline: Deadline, guards: Guards): Promise<OutboundResponse> {
  let hop = first;
  for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
    const { url } = hop;
    const { next, response } = await sendHop(hop, deadline, guards).catch((error: unknown) => {
      throw outboundError(error, url, deadline);
    });
    if (!next) return response;
    hop = next;
  }
  throw new OutboundError('too_many_redirects', `${first.url.host} redirected more than ${redirectsMax} times.`);
}

type Outcome = { next: RequestHop; response?: never } | { next?: never; response: OutboundResponse };

/** Sends one hop, after resolving and checking its host again. */
async function sendHop(hop: RequestHop, deadline: Deadline, { resolve, beforeLarge }: Guards): Promise<Outcome> {
  const addresses = await unlessAborted(resolve(hop.url), deadline.signal);
  const headers = { ...Object.fromEntries(hop.headers), 'accept-encoding': 'gzip, deflate, br' };
  const response = await sendWireRequest({ ...hop, headers, addresses, signal: deadline.signal });
  try {
    const next = nextHop(hop, response.statusCode!, response.headers.location);
    return next ? { next } : { response: await readResponse(hop, response, beforeLarge) };
  } finally {
    response.destroy();
  }
}

function outboundError(error: unknown, { host }: URL, { signal }: Deadline): OutboundError {
  if (error instanceof OutboundError) return error;
  if (signal.aborted) return signal.reason as OutboundError;
  // Only the code is shown, since the message may contain the address of the host.
  const { code = 'unknown error' } = error as NodeJS.ErrnoException;
  return new OutboundError('connection', `${host} could not be reached (${code}).`, { cause: error });
}
