import { say } from '@relata/testbed/suite-program';
import pg from 'pg';

const dayMs = 86_400_000;

export interface PastOptions {
  url: string;
  count: number;
  /** Rows per statement: few enough to show progress. */
  chunkRows: number;
  /** Age of the first and of the last row, in days. The rows are too young for retention to drop them. */
  days: readonly [oldest: number, youngest: number];
  /** Number of connections that load at the same time. */
  loaders: number;
  /** Loads one chunk. Row number `i` has the time `sinceMs + i * stepMs`. */
  load: (client: pg.Client, chunk: Chunk) => Promise<unknown>;
  title: string;
}

interface Chunk {
  /** Numbers of its first and last row. */
  from: number;
  to: number;
  sinceMs: number;
  stepMs: number;
}

const progressRows = 2_000_000;

/** Loads old, numbered rows, chunk by chunk. Ids ascend as in production, so that indexes get the same shape. */
export async function loadPast(options: PastOptions): Promise<void> {
  const { url, count, chunkRows, days, loaders, title } = options;
  const [oldest, youngest] = days;
  const span = { sinceMs: Date.now() - oldest * dayMs, stepMs: ((oldest - youngest) * dayMs) / count };
  const starts = Array.from({ length: Math.ceil(count / chunkRows) }, (_, at) => at * chunkRows);
  const work = async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    // Disables foreign keys and triggers: referenced rows are still being loaded, and checks would double the duration.
    await client.query('SET session_replication_role = replica');
    await client.query('SET synchronous_commit = off');
    for (let from = starts.shift(); from !== undefined; from = starts.shift()) {
      const to = Math.min(count, from + chunkRows) - 1;
      await options.load(client, { from, to, ...span });
      if ((to + 1) % progressRows === 0) say(`${(to + 1).toLocaleString('en-US')} ${title}`);
    }
    await client.end();
  };
  await Promise.all(Array.from({ length: loaders }, work));
}

/** Returns the id of row `i` as a delivery or as a run, in SQL: a UUID of version 7 with the time of the row. */
export const idOf = (kind: 'd' | 'r') =>
  `(lpad(to_hex(ms), 12, '0') || '7' || lpad(to_hex(i % 4096), 3, '0') || '8' || left(md5('${kind}' || i), 15))::uuid`;

/** Vacuums and analyzes tables, and makes a checkpoint, so that none of this happens during the measurement. */
export async function vacuum(admin: pg.Client, ...tables: readonly string[]): Promise<void> {
  await admin.query(`VACUUM (ANALYZE) ${tables.join(', ')}`);
  await admin.query('CHECKPOINT');
}
