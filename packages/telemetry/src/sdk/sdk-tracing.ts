import { AsyncLocalStorage } from 'node:async_hooks';
import { type Context, ROOT_CONTEXT, SpanKind, trace as spans, type Tracer } from '@opentelemetry/api';
import { type IdGenerator, RandomIdGenerator } from '@opentelemetry/sdk-trace';
import { readTraceparent, type Trace, type TraceReference } from '../trace.ts';
import type { SpanOptions, Tracing } from '../tracing.ts';
import { toSpanContext, linkTo, SdkTrace } from './sdk-trace.ts';

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

/**
 * Generates random ids, unless ids were chosen for the next span. That span begins in the same turn of the event loop.
 */
export class ChosenIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  next: { spanId?: string | undefined; traceId?: string | undefined } = {};

  generateSpanId(): string {
    return this.next.spanId ?? this.#random.generateSpanId();
  }

  generateTraceId(): string {
    return this.next.traceId ?? this.#random.generateTraceId();
  }
}

export class SdkTracing implements Tracing {
  /**
   * The current span. Timers and queues may outlive the request that started them, so a span that has ended is not used
   * as a parent.
   */
  readonly #current = new AsyncLocalStorage<SdkTrace | undefined>();
  readonly #tracer: Tracer;
  readonly #ids: ChosenIds;
  readonly #continuesTraces: boolean;

  constructor(tracer: Tracer, ids: ChosenIds, continuesTraces: boolean) {
    this.#tracer = tracer;
    this.#ids = ids;
    this.#continuesTraces = continuesTraces;
  }

  active(): SdkTrace | undefined {
    const current = this.#current.getStore();
    return current?.hasEnded ? undefined : current;
  }

  begin(name: string, options: SpanOptions = {}): SdkTrace {
    const { kind, attributes = {}, links = [], parent = this.active(), spanId, traceId } = options;
    this.#ids.next = { spanId, traceId };
    const given = Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
    const linked = links.filter((link) => link !== undefined).map(linkTo);
    const settings = { attributes: given as Record<string, string>, links: linked, ...(kind && { kind: kinds[kind] }) };
    const span = this.#tracer.startSpan(name, settings, parentContext(parent));
    this.#ids.next = {};
    return new SdkTrace(span);
  }

  within<Result>(trace: Trace | undefined, work: () => Result): Result {
    return this.#current.run(trace as SdkTrace | undefined, work);
  }

  span<Result>(name: string, options: SpanOptions, work: (trace: Trace) => Result): Result {
    const trace = this.begin(name, options);
    try {
      const result = this.#current.run(trace, work, trace);
      if (result instanceof Promise) return ending(result, trace) as Result;
      trace.end();
      return result;
    } catch (error) {
      trace.end(error);
      throw error;
    }
  }

  child<Result>(name: string, options: SpanOptions, work: (trace?: Trace) => Result): Result {
    return this.#hasRoom(options) ? this.span(name, options, work) : work();
  }

  #hasRoom({ parent = this.active() }: SpanOptions): boolean {
    return parent?.isSampled === true && (!(parent instanceof SdkTrace) || parent.countChild());
  }

  together<Result>(members: readonly (SdkTrace | undefined)[], work: () => Result): Result {
    const distinct = new Set(members.filter((member) => member?.isSampled && !member.hasEnded)) as Set<SdkTrace>;
    const [first, ...others] = distinct;
    if (members.length < 2 || !first) return this.within(members.length === 1 ? members[0] : first, work);
    const options = { parent: first, links: others, attributes: { 'relata.batch.size': members.length } };
    return this.span('batch', options, (batch) => {
      for (const other of others) other.link(batch);
      return work();
    });
  }

  serve(traceparent: string | undefined, options: SpanOptions): SdkTrace {
    const caller = readTraceparent(traceparent);
    const relation = caller && this.#continuesTraces ? { parent: caller } : { parent: null, links: [caller] };
    return this.begin('HTTP', { ...options, kind: 'server', ...relation });
  }
}

async function ending<Result>(result: Promise<Result>, trace: SdkTrace): Promise<Result> {
  try {
    const settled = await result;
    trace.end();
    return settled;
  } catch (error) {
    trace.end(error);
    throw error;
  }
}

function parentContext(parent: TraceReference | null | undefined): Context {
  if (!parent) return ROOT_CONTEXT;
  if (parent instanceof SdkTrace) return spans.setSpan(ROOT_CONTEXT, parent.span);
  return spans.setSpanContext(ROOT_CONTEXT, toSpanContext(parent));
}
