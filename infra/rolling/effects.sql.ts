import { type Db, statement } from '@relata/db';

/** What is in the database when everything is over. */
export interface Effects {
  /** Runs by their status. */
  runs: Record<string, number>;
  /** What steps of workflows wrote, as `source content`. */
  logged: string[];
  /** E-mail addresses of contacts. */
  emails: string[];
}

const runs = statement<{ status: string; n: number }>(
  'rolling.runs',
  'SELECT status, count(*)::integer AS n FROM workflow_runs WHERE org_id = $1 GROUP BY status',
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
