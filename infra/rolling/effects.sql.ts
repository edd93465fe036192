import { type Db, statement } from '@relata/db';

export interface Effects {
  /** Number of runs by status, which includes the error of failed runs. */
  runs: Record<string, number>;
  /** Activities that workflows wrote, each as its source and content. */
  logged: string[];
  emails: string[];
}

const runs = statement<{ status: string; n: number }>(
  'rolling.runs',
  `SELECT status || coalesce(': ' || (error ->> 'code') || ' ' || (error ->> 'message'), '') AS status, count(*)::integer AS n
   FROM workflow_runs WHERE org_id = $1 GROUP BY 1`,
);
const logged = statement<{ entry: string }>(
  'rolling.logged',
  `SELECT source || ' ' || content AS entry FROM custom_activities WHERE org_id = $1`,
);
const emails = statement<{ email: string }>('rolling.emails', 'SELECT email FROM contacts WHERE org_id = $1');

export async function readEffects(db: Db, orgId: string): Promise<Effects> {
  const byStatus = (await db.query(runs, [orgId])).map(({ status, n }) => [status, n] as const);
  return {
    runs: Object.fromEntries(byStatus),
    logged: (await db.query(logged, [orgId])).map(({ entry }) => entry),
    emails: (await db.query(emails, [orgId])).map(({ email }) => email),
  };
}
