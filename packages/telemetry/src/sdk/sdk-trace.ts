import { type Span, SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import { type Attributes, type Trace, type TraceReference, writeTraceparent } from '../trace.ts';
import { toErrorType } from './error-type.ts';

/**
 * Maximum number of child spans. Without this limit, a stream that lasts for hours or a run with thousands of items
 * would have too many.
 */
const childrenMax = 1_000;

/** A span of the SDK. */
export class SdkTrace implements Trace {
  readonly span: Span;
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
  hasEnded = false;
  #children = 0;

  constructor(span: Span) {
    const { traceId, spanId, traceFlags } = span.spanContext();
    this.span = span;
    this.traceId = traceId;
    this.spanId = spanId;
    this.isSampled = (traceFlags & TraceFlags.SAMPLED) !== 0;
  }

  /** Counts a child span; returns false if the maximum is exceeded. */
  countChild(): boolean {
    this.#children++;
    return this.#children <= childrenMax;
  }

  get traceparent(): string {
    return writeTraceparent(this);
  }

  set(attributes: Attributes): void {
    for (const [name, value] of Object.entries(attributes))
      if (value !== undefined) this.span.setAttribute(name, value);
  }

  rename(name: string): void {
    this.span.updateName(name);
  }

  link(other: TraceReference): void {
    this.span.addLink(linkTo(other));
  }

  fail(error: unknown): void {
    this.span.setAttribute('error.type', toErrorType(error));
    this.span.setStatus({ code: SpanStatusCode.ERROR });
  }

  end(error?: unknown): void {
    if (this.hasEnded) return;
    if (error !== undefined) this.fail(error);
    if (this.#children > childrenMax) this.set({ 'relata.spans.omitted': this.#children - childrenMax });
    this.hasEnded = true;
    this.span.end();
  }
}

export function toSpanContext({ traceId, spanId, isSampled }: TraceReference) {
  return { traceId, spanId, traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE, isRemote: true };
}

export function linkTo(other: TraceReference) {
  return { context: toSpanContext(other) };
}
