import type { OnStatement } from '@relata/db';
import { Histogram, type Metrics } from '@relata/runtime';

/** Maximum number of statement names; further ones count as `other`. The code has some hundreds of names. */
const namesMax = 500;

/**
 * Buckets in seconds. There are only a few, because each statement name has its own series for every bucket. They only
 * need to show which statements are slow.
 */
const buckets = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5];

/**
 * Returns a callback that measures statements by name. It looks up each name's histogram once, because there are
 * thousands of statements per second.
 */
export function measureStatements(metrics: Metrics): OnStatement {
  const durations = new Histogram({
    name: 'database_statement_duration_seconds',
    help: 'Duration of statements, by their name in the code, including BEGIN and COMMIT.',
    labelNames: ['statement'],
    buckets,
    registers: [metrics],
  });
  const byName = new Map<string, { observe(seconds: number): void }>();
  return (name, seconds) => {
    const known = byName.get(name);
    if (known) return known.observe(seconds);
    const label = byName.size < namesMax ? name : 'other';
    byName.getOrInsertComputed(label, () => durations.labels(label)).observe(seconds);
  };
}
