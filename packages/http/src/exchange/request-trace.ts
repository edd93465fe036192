import type { IncomingMessage } from 'node:http';
import { isUuid } from '@relata/schemas';
import { type Trace, tracing } from '@relata/telemetry';
import type { Exchange } from './exchange.ts';

/** Load balancers request these paths every few seconds. */
const healthPath = /^\/health\//;

/** Begins the span of a request; returns undefined for health checks, and if tracing is disabled. */
export function beginTrace({ method, url, headers }: IncomingMessage): Trace | undefined {
  if (!tracing || healthPath.test(url!)) return undefined;
  const { traceparent } = headers;
  return tracing.serve(typeof traceparent === 'string' ? traceparent : undefined, {
    attributes: { 'http.request.method': method },
  });
}

/** A request with the route that express found for it. */
type Routed = IncomingMessage & { route?: { path?: unknown }; params?: Record<string, unknown> };

/**
 * Ends the span of a request. It omits the query, which may contain search terms. In the path it omits every parameter
 * that is not an id, since its value may be a name or any text of a stranger.
 */
export function endTrace(trace: Trace, request: Routed, exchange: Exchange): void {
  const { method, route, params = {} } = request;
  const { statusCode: status, writableFinished } = exchange.response;
  const path = typeof route?.path === 'string' ? route.path : undefined;
  trace.rename(path === undefined ? method! : `${method} ${path}`);
  trace.set({
    'http.route': path,
    'url.path': path?.replaceAll(/:(\w+)/g, (parameter, name: string) => {
      const value = String(params[name]);
      return isUuid(value) ? value : parameter;
    }),
    'http.response.status_code': status,
    'relata.operation': exchange.operation,
    'relata.org_id': exchange.caller?.orgId,
    'relata.aborted': writableFinished ? undefined : true,
  });
  if (status >= 500) trace.fail(status);
  trace.end();
}
