import { type Db, statement } from '@relata/db';

export interface HeldRun {
  orgId: string;
  id: string;
  epoch: number;
}

const held = `FROM unnest($1::uuid[], $2::uuid[], $3::integer[]) AS h (org_id, id, epoch)
   WHERE r.org_id = h.org_id AND r.id = h.id AND r.epoch = h.epoch AND r.status = 'running'`;

const renew = statement<{ id: string }>(
  'workflow_runs.renew',
  `UPDATE workflow_runs r SET due_at = now() + make_interval(secs => $4::float8 / 1000) ${held} RETURNING r.id`,
);

/** Lengthens leases; returns the ids of the runs that are still held. The others belong to somebody else now. */
export async function renewLeases(db: Db, runs: readonly HeldRun[], leaseMs: number): Promise<Set<string>> {
  const rows = await db.query(renew, [...columnsOf(runs), leaseMs]);
  return new Set(rows.map(({ id }) => id));
}

const release = statement<never>(
  'workflow_runs.release',
  `UPDATE workflow_runs r SET status = 'queued', due_at = now() ${held}`,
);

/** Gives runs back unfinished, to be claimed by anybody at once. */
export async function releaseRuns(db: Db, runs: readonly HeldRun[]): Promise<void> {
  await db.query(release, columnsOf(runs));
}

function columnsOf(runs: readonly HeldRun[]) {
  return [runs.map(({ orgId }) => orgId), runs.map(({ id }) => id), runs.map(({ epoch }) => epoch)];
}
