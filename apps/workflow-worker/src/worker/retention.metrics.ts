import { Gauge, type Metrics } from '@relata/runtime';
import { measureRecent } from './whole-service.metrics.ts';

/**
 * Kinds of data that a retention sweep deletes: deliveries with their runs, refused posts, notices to teams, stored
 * responses, deleted records, sessions and sign-in links, and events.
 */
const kinds = ['deliveries', 'refusals', 'notices', 'answers', 'trash', 'people', 'events'] as const;

export type RetentionKind = (typeof kinds)[number];

/**
 * Seconds since the oldest row of a kind should have been deleted; 0 if no row is overdue. Covers only the kinds of
 * data that grow without bound.
 */
export interface OverdueSeconds {
  runs: number;
  deliveries: number;
  events: number;
  trash: number;
}

/** Cache duration, in ms. Reading takes a query per organization, and retention itself runs only once an hour. */
const keptMs = 300_000;

/** Registers the metrics of retention. Returns a function to call when all expired data of a kind has been deleted. */
export function measureRetention(metrics: Metrics, readOverdue: () => Promise<OverdueSeconds>) {
  const successes = new Gauge({
    name: 'retention_last_success_timestamp_seconds',
    help: 'Time at which this worker last deleted all old rows of a kind; 0 before the first time.',
    labelNames: ['kind'],
    registers: [metrics],
  });
  for (const kind of kinds) successes.set({ kind }, 0);
  const name = 'retention_overdue_seconds';
  const help =
    'Seconds for which the oldest row to delete has been overdue, across all organizations, by kind; 0 if no row is overdue.';
  measureRecent({ name, help, label: 'kind', registers: [metrics], keptMs }, readOverdue);
  return (kind: RetentionKind) => successes.setToCurrentTime({ kind });
}
