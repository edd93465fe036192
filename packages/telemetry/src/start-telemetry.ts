import type { Trace } from './trace.ts';
import type { TelemetryOptions, Tracing } from './tracing.ts';

/**
 * Tracing of this process; undefined if telemetry is off. In that case the SDK is not loaded, and the only cost is to
 * read this variable.
 */
export let tracing: Tracing | undefined;

/** Starts tracing if there is an endpoint. Disposing of it sends the remaining spans within a time limit. */
export async function startTelemetry(options: TelemetryOptions): Promise<AsyncDisposable> {
  const { endpoint } = options;
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

/** Returns the fields by which lines of the log refer to their span. */
export function traceFields(trace: Trace | undefined = tracing?.active()): Record<string, string> {
  if (!trace) return {};
  return { trace_id: trace.traceId, span_id: trace.spanId, trace_flags: trace.isSampled ? '01' : '00' };
}
