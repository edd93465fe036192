import type { Trace } from './trace.ts';
import type { TelemetryOptions, Tracing } from './tracing.ts';

/**
 * The tracing of this process; undefined while telemetry is off. Nothing of the SDK is loaded then, and all it costs is
 * to look at this variable.
 */
export let tracing: Tracing | undefined;

/** Begins to trace where there is an endpoint. Disposing of it sends what is left, within a bound. */
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

/** What lines of the log say of the span that they belong to. */
export function traceFields(trace: Trace | undefined = tracing?.active()): Record<string, string> {
  if (!trace) return {};
  return { trace_id: trace.traceId, span_id: trace.spanId, trace_flags: trace.isSampled ? '01' : '00' };
}
