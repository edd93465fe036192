/** From when to when something was so, in milliseconds since 1970. */
export interface Span {
  name: string;
  from: number;
  to: number;
}

/** What was done to the test bed, and when. */
export class Timeline {
  readonly faults: Span[] = [];
  /** PostgreSQL was known to be gone: nobody listens, and every connection has ended. */
  readonly postgresAway: Span[] = [];
  /** No NATS server ran. */
  readonly natsAway: Span[] = [];

  async note<Result>(spans: Span[], name: string, work: () => Promise<Result>): Promise<Result> {
    const from = Date.now();
    try {
      return await work();
    } finally {
      spans.push({ name, from, to: Date.now() });
    }
  }
}

/** Whether something that took from `from` to `to` lies within one of the spans. */
export function isWithin(spans: readonly Span[], from: number, to: number): boolean {
  return spans.some((span) => span.from <= from && to <= span.to);
}

/** What is left of `spans` when `others` are cut out, each lengthened by `tailMs`. */
export function without(spans: readonly Span[], others: readonly Span[], tailMs = 0): Span[] {
  let left = [...spans];
  for (const { from, to } of others) {
    left = left.flatMap((span) => [
      { ...span, to: Math.min(span.to, from) },
      { ...span, from: Math.max(span.from, to + tailMs) },
    ]);
    left = left.filter((span) => span.to > span.from);
  }
  return left;
}

export function totalMs(spans: readonly Span[]): number {
  return spans.reduce((sum, { from, to }) => sum + to - from, 0);
}
