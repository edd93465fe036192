import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import { toErrorType } from './error-type.ts';

/** Maximum number of batches in flight; all of them are held in memory. */
const sendingMax = 6;

const reportEveryMs = 60_000;

/**
 * Creates an exporter that sends spans with OTLP over HTTP. Headers, timeout and certificates come from the standard
 * environment variables. No connection options are passed, because the SDK would then ignore the variables for
 * certificates. Spans that cannot be sent are retried for some seconds and then dropped; no other work waits for this.
 */
export function createExporter(endpoint: string, onProblem: (reason: string) => void): SpanExporter {
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`;
  const otlp = new OTLPTraceExporter({ url, concurrencyLimit: sendingMax });
  let reportedAt = -Infinity;
  const report = (error: Error | undefined) => {
    if (performance.now() - reportedAt < reportEveryMs) return;
    reportedAt = performance.now();
    onProblem(toErrorType(error));
  };
  return {
    export: (spans, done) =>
      otlp.export(spans, (result) => {
        if (result.error) report(result.error);
        done(result);
      }),
    shutdown: () => otlp.shutdown(),
    forceFlush: () => otlp.forceFlush(),
  };
}
