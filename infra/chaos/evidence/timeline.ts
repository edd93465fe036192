/** An interval in milliseconds since 1970. */
export interface Span {
  name: string;
  from: number;
  to: number;
}

/** The faults of a run and the outages that they caused. */
export class Timeline {
  readonly faults: Span[] = [];
  /**
   * Times at which PostgreSQL was certainly unavailable: its port refused connections, and every connection had ended.
   */
  readonly postgresAway: Span[] = [];
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

/** Returns true if one span contains the whole interval. */
export function isWithin(spans: readonly Span[], from: number, to: number): boolean {
  return spans.some((span) => span.from <= from && to <= span.to);
}

/** Returns the parts of `spans` outside `others`, after extending each of the `others` by `tailMs`. */
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
