import { firstIdAt } from '@relata/db';
import type { IngestDatabase } from './ingest-database.ts';

/** Returns the number of activities of the organization. The stored totals make this query almost free. */
export async function countActivities({ admin, orgId }: IngestDatabase): Promise<number> {
  const { rows } = await admin.query<{ n: string }>(
    "SELECT coalesce(sum(n), 0) AS n FROM record_counts WHERE org_id = $1 AND resource = 'custom_activities'",
    [orgId],
  );
  return Number(rows[0]!.n);
}

export interface Effects {
  /** Number of runs that were created since the given instant and have succeeded. */
  runs: number;
  contacts: number;
  activities: number;
  /** When the last activity was committed, in milliseconds since 1970. */
  lastAt: number;
}

export async function effectsSince({ admin, orgId }: IngestDatabase, instantMs: number): Promise<Effects> {
  const since = 'org_id = $1 AND id >= $2';
  const { rows } = await admin.query<Effects>(
    `SELECT (SELECT count(*) FROM workflow_runs WHERE ${since} AND status = 'succeeded')::integer AS runs,
       (SELECT count(*) FROM contacts WHERE ${since})::integer AS contacts, count(*)::integer AS activities,
       (extract(epoch FROM max(pg_xact_commit_timestamp(xmin))) * 1000)::float8 AS "lastAt"
     FROM custom_activities WHERE ${since}`,
    [orgId, firstIdAt(instantMs)],
  );
  return rows[0]!;
}

export interface FirstEffect {
  email: string;
  /** Time from the commit of the delivery to the commit of its first step's effect. */
  ms: number;
  /** When the effect was committed, in milliseconds since 1970. */
  at: number;
}

/**
 * Returns the first effect of each run since an instant. PostgreSQL records when each transaction was committed, so no
 * polling disturbs the work or limits the precision. Deliveries and contacts do not change after their insert, so
 * `xmin` is the transaction that inserted them.
 */
export async function firstEffects({ admin, orgId }: IngestDatabase, instantMs: number): Promise<FirstEffect[]> {
  const { rows } = await admin.query<FirstEffect>(
    `SELECT c.email,
       (extract(epoch FROM pg_xact_commit_timestamp(c.xmin) - pg_xact_commit_timestamp(d.xmin)) * 1000)::float8 AS ms,
       (extract(epoch FROM pg_xact_commit_timestamp(c.xmin)) * 1000)::float8 AS at
     FROM workflow_runs r
     JOIN webhook_deliveries d ON d.org_id = r.org_id AND d.id = r.delivery_id
     JOIN contacts c ON c.org_id = r.org_id AND c.id >= $2 AND c.email = r.inputs ->> 'email'
     WHERE r.org_id = $1 AND r.id >= $2`,
    [orgId, firstIdAt(instantMs)],
  );
  return rows;
}
