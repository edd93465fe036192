export { readTraceparent, toTraceId, type Trace, type TraceReference } from './trace.ts';
export { continuesTraces, passTraceOn, startTelemetry, traceFields, tracing } from './start-telemetry.ts';
export { samplerNames, type SpanOptions, type Tracing } from './tracing.ts';
