import { firstIdAt } from '@relata/db';
import type { Site } from './site.ts';

/** Returns the number of activities of the organization, from the kept totals: this query costs almost nothing. */
export async function countActivities({ admin, orgId }: Site): Promise<number> {
  const { rows } = await admin.query<{ n: string }>(
    "SELECT coalesce(sum(n), 0) AS n FROM record_counts WHERE org_id = $1 AND resource = 'custom_activities'",
    [orgId],
  );
  return Number(rows[0]!.n);
}

export interface Effects {
  /** Runs that have succeeded since. */
  runs: number;
  contacts: number;
  activities: number;
  /** When the last activity was committed, in milliseconds since 1970. */
  lastAt: number;
}

export async function effectsSince({ admin, orgId }: Site, instantMs: number): Promise<Effects> {
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
  /** From the commit of the delivery to the commit of its first step's effect. */
  ms: number;
  /** When the effect was committed, in milliseconds since 1970. */
  at: number;
}

/**
 * Returns the first effect of each run since an instant. The server records when each transaction was committed, so
 * that no query disturbs it while it works, and no polling interval limits the precision. Neither row changes after its
 * insert, so the transaction of its current version is the one that inserted it.
 */
export async function firstEffects({ admin, orgId }: Site, instantMs: number): Promise<FirstEffect[]> {
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
