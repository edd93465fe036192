import type { Attributes, Trace, TraceReference } from './trace.ts';

export interface SpanOptions {
  kind?: 'server' | 'client' | 'producer' | 'consumer';
  attributes?: Attributes;
  /** What the code that calls is part of, unless given; null begins a trace. */
  parent?: TraceReference | null | undefined;
  links?: readonly (TraceReference | undefined)[];
  /** Of the span, and of the trace that it may begin; random unless given. */
  spanId?: string;
  traceId?: string;
}

/** What spans are begun with while telemetry is on. */
export interface Tracing {
  /** What the code that runs now is part of; undefined where of nothing, or of what has ended. */
  active(): Trace | undefined;
  /** A span that its caller ends. */
  begin(name: string, options?: SpanOptions): Trace;
  /** Runs work as part of a span, or of none. */
  within<Result>(trace: Trace | undefined, work: () => Result): Result;
  /** A span for as long as the work takes, also where that is a promise. */
  span<Result>(name: string, options: SpanOptions, work: (trace: Trace) => Result): Result;
  /** The same where what runs now is sampled, and has fewer than 1,000 such; all else runs without a span of its own. */
  child<Result>(name: string, options: SpanOptions, work: (trace?: Trace) => Result): Result;
  /** Work that is done once for several: part of the first that is sampled, and linked with the others. */
  together<Result>(members: readonly (Trace | undefined)[], work: () => Result): Result;
  /** The span of a request; its caller's trace goes on in it where the operator says so, else it is a link. */
  serve(traceparent: string | undefined, options: SpanOptions): Trace;
}

export interface TelemetryOptions {
  /** Undefined switches telemetry off. */
  endpoint: string | undefined;
  service: { name: string; version: string };
  sampler: { name: SamplerName; ratio: number };
  /** Requests go on with the trace of their callers, who then decide whether it is sampled. */
  continuesTraces: boolean;
  /** Traces could not be exported; called at most once a minute. */
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
