import type { OnStatement } from '@relata/db';
import { Histogram, type Metrics } from '@relata/runtime';

/** Names stand in the code, which has some hundreds; more would be a name that is made of something else. */
const namesMax = 500;

/** Few, since there are as many for each name: one statement in many is slow, and which is what matters. */
const buckets = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5];

/** Measures statements by their names. What is observed is found once for each name: there are thousands a second. */
export function measureStatements(metrics: Metrics): OnStatement {
  const durations = new Histogram({
    name: 'database_statement_duration_seconds',
    help: 'Time from the sending of a statement to its end, by its name in the code; BEGIN and COMMIT too.',
    labelNames: ['statement'],
    buckets,
    registers: [metrics],
  });
  const byName = new Map<string, { observe(seconds: number): void }>();
  const add = (name: string) => {
    const added = durations.labels(name);
    byName.set(name, added);
    return added;
  };
  return (name, seconds) => {
    const known = byName.get(name) ?? (byName.size < namesMax ? add(name) : (byName.get('other') ?? add('other')));
    known.observe(seconds);
  };
}
