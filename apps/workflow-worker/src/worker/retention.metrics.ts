import { Gauge, type Metrics, Recent } from '@relata/runtime';

/** What one sweep of retention drops: deliveries with their runs, refused posts, kept answers, sessions and links, events. */
const kinds = ['deliveries', 'refusals', 'answers', 'people', 'events'] as const;

export type RetentionKind = (typeof kinds)[number];

/** Of the kinds that grow without end: seconds for which the oldest row should have been dropped, 0 where none should. */
export interface OverdueSeconds {
  runs: number;
  deliveries: number;
  events: number;
}

export interface RetentionMetrics {
  /** A sweep has dropped all that it found old. */
  succeeded(kind: RetentionKind): void;
}

/** To read it takes a look for each organization, and retention itself runs once an hour. */
const keptMs = 300_000;

export function measureRetention(metrics: Metrics, readOverdue: () => Promise<OverdueSeconds>): RetentionMetrics {
  const successes = new Gauge({
    name: 'retention_last_success_timestamp_seconds',
    help: 'When this worker last dropped all old rows of a kind; 0 until it has.',
    labelNames: ['kind'],
    registers: [metrics],
  });
  for (const kind of kinds) successes.set({ kind }, 0);
  measureOverdue(metrics, readOverdue);
  return { succeeded: (kind) => successes.setToCurrentTime({ kind }) };
}

/** Nothing is reported while the database is unavailable. */
function measureOverdue(metrics: Metrics, readOverdue: () => Promise<OverdueSeconds>): void {
  const recent = new Recent(readOverdue, { keptMs });
  void new Gauge({
    name: 'retention_overdue_seconds',
    help: 'For how long the oldest row of the whole service should have been dropped, by kind; 0 where none should.',
    labelNames: ['kind'],
    registers: [metrics],
    async collect() {
      const overdue = Object.entries((await recent.get()) ?? {});
      this.reset();
      for (const [kind, seconds] of overdue) this.set({ kind }, seconds as number);
    },
  });
}
