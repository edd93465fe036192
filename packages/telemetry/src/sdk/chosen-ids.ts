import { type IdGenerator, RandomIdGenerator } from '@opentelemetry/sdk-trace';

/** Generates random ids, unless those of the next span are chosen: a span begins in the same turn in which they are. */
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
