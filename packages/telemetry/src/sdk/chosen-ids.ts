import { type IdGenerator, RandomIdGenerator } from '@opentelemetry/sdk-trace';

/** Generates random ids, unless ids are chosen for the next span, which begins in the same turn of the event loop. */
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
