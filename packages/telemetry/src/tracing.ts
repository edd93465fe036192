import type { Attributes, Trace, TraceReference } from './trace.ts';

export interface SpanOptions {
  kind?: 'server' | 'client' | 'producer' | 'consumer';
  attributes?: Attributes;
  /** Parent of the span, by default the current span; null begins a new trace. */
  parent?: TraceReference | null | undefined;
  links?: readonly (TraceReference | undefined)[];
  /** Id of the span, and of the trace if the span begins one; random by default. */
  spanId?: string;
  traceId?: string;
}

/** Begins spans while telemetry is enabled. */
export interface Tracing {
  /** Returns the current span; undefined if there is none or it has ended. */
  active(): Trace | undefined;
  /** Begins a span that its caller ends. */
  begin(name: string, options?: SpanOptions): Trace;
  /** Runs work with the given span as the current span. If `trace` is undefined, the work has no current span. */
  within<Result>(trace: Trace | undefined, work: () => Result): Result;
  /** Begins a span and ends it with the work, even if that is a promise. */
  span<Result>(name: string, options: SpanOptions, work: (trace: Trace) => Result): Result;
  /**
   * Acts like `span` if the parent span is sampled and has fewer than 1,000 children; otherwise runs the work without
   * a span.
   */
  child<Result>(name: string, options: SpanOptions, work: (trace?: Trace) => Result): Result;
  /** Runs work for several members in one span: a child of the first sampled member, linked with the others. */
  together<Result>(members: readonly (Trace | undefined)[], work: () => Result): Result;
  /**
   * Begins the span of a request. It continues the caller's trace if the operator allows that; otherwise it only links
   * to it.
   */
  serve(traceparent: string | undefined, options: SpanOptions): Trace;
}

export interface TelemetryOptions {
  /** Endpoint of the collector; undefined disables telemetry. */
  endpoint: string | undefined;
  service: { name: string; version: string };
  sampler: { name: SamplerName; ratio: number };
  /** True if requests continue the traces of their callers, who then decide about sampling. */
  continuesTraces: boolean;
  /** Called if traces cannot be exported, at most once a minute. */
  onProblem(reason: string): void;
}

export const samplerNames = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

type SamplerName = (typeof samplerNames)[number];
