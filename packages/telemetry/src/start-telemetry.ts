import { randomUUID } from 'node:crypto';
import { readTraceparent, type Trace, writeTraceparent } from './trace.ts';
import type { TelemetryOptions, Tracing } from './tracing.ts';

/**
 * Tracing of this process; undefined if telemetry is disabled. In that case the SDK is not loaded, and the only cost is
 * to read this variable.
 */
export let tracing: Tracing | undefined;

/** True if requests continue the traces of their callers, even while telemetry is disabled. */
export let continuesTraces = false;

/** Starts tracing if an endpoint is set. Disposing of the result sends the remaining spans within a time limit. */
export async function startTelemetry(options: TelemetryOptions): Promise<AsyncDisposable> {
  const { endpoint } = options;
  continuesTraces = options.continuesTraces;
  if (endpoint === undefined) return { [Symbol.asyncDispose]: () => Promise.resolve() };
  const { openTracing } = await import('./sdk/open-tracing.ts');
  const opened = openTracing({ ...options, endpoint });
  tracing = opened.tracing;
  return {
    async [Symbol.asyncDispose]() {
      tracing = undefined;
      await opened.close();
    },
  };
}

/**
 * Returns the `traceparent` for work that a request without a span begins. It is marked as sampled only if the caller's
 * trace is continued and sampled.
 */
export function passTraceOn(traceId: string, received: string | undefined): string {
  const isSampled = continuesTraces && readTraceparent(received)?.isSampled === true;
  // The second half of a version 4 UUID is never 0.
  return writeTraceparent({ traceId, spanId: randomUUID().replaceAll('-', '').slice(16), isSampled });
}

/** Returns the fields with which a log line refers to its span. */
export function traceFields(trace: Trace | undefined = tracing?.active()): Record<string, string> {
  if (!trace) return {};
  return { trace_id: trace.traceId, span_id: trace.spanId, trace_flags: trace.isSampled ? '01' : '00' };
}
