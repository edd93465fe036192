import { type Db, statement } from '@relata/db';
import type { ChangeKind } from '@relata/schemas/console';

/** A text for each kind, another one once something has changed. */
export type ChangeMarks = Record<ChangeKind, string>;

/** Not the newest alone: what came first may be committed last. */
const looked = 50;

/**
 * A few short index reads. The version of a row (`xmin`) is another one after each update, so of the newest runs every
 * step on their way counts; of older ones, that they fail or are retried.
 */
const read = statement<ChangeMarks>(
  'console.change_marks',
  `SELECT
     (SELECT coalesce(hashtextextended(string_agg(id::text, ''), 0), 0)::text FROM (
        SELECT id FROM webhook_deliveries WHERE org_id = $1 ORDER BY id DESC LIMIT ${looked}) d) AS deliveries,
     (SELECT coalesce(hashtextextended(string_agg(version, ''), 0), 0)::text FROM (
        (SELECT id::text || xmin::text AS version FROM workflow_runs
         WHERE org_id = $1 ORDER BY id DESC LIMIT ${looked})
        UNION ALL
        (SELECT id::text FROM workflow_runs
         WHERE org_id = $1 AND status = 'failed' ORDER BY id DESC LIMIT ${looked})) r) AS runs,
     (SELECT coalesce(hashtextextended(string_agg(seq::text, ','), 0), 0)::text FROM (
        SELECT seq FROM events WHERE org_id = $1 ORDER BY seq DESC LIMIT ${looked}) e) AS events`,
);

export async function readChangeMarks(db: Db, orgId: string): Promise<ChangeMarks> {
  const [marks] = await db.query(read, [orgId]);
  return marks!;
}
