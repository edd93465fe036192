import { type Db, statement } from '@relata/db';
import type { ClaimedRun } from './claim.sql.ts';

export type HeldRun = Pick<ClaimedRun, 'org_id' | 'id' | 'epoch'>;

/** BETWEEN makes the planner expect a single row, so that it looks up and locks one run after another. */
const held = `FROM unnest($1::uuid[], $2::uuid[], $3::integer[]) WITH ORDINALITY AS h (org_id, id, epoch, n)
   WHERE h.n BETWEEN 1 AND 1000000 AND r.org_id = h.org_id AND r.id = h.id AND r.epoch = h.epoch AND r.status = 'running'`;

const renew = statement<{ id: string }>(
  'workflow_runs.renew',
  `UPDATE workflow_runs r SET due_at = now() + make_interval(secs => $4::float8 / 1000) ${held} RETURNING r.id`,
);

/** Renews leases; returns the ids of the runs whose lease is still held. The others were claimed again or cancelled. */
export async function renewLeases(db: Db, runs: readonly HeldRun[], leaseMs: number): Promise<Set<string>> {
  const rows = await db.query(renew, [...columnsOf(runs), leaseMs]);
  return new Set(rows.map(({ id }) => id));
}

const release = statement<never>(
  'workflow_runs.release',
  `UPDATE workflow_runs r SET status = 'queued', due_at = now() + make_interval(secs => $4::float8 / 1000) ${held}`,
);

/** Releases unfinished runs: they can be claimed by id immediately, and by any sweep after `inMs`. */
export async function releaseRuns(db: Db, runs: readonly HeldRun[], inMs = 0): Promise<void> {
  await db.query(release, [...columnsOf(runs), inMs]);
}

/** Sorts runs, so that statements that lock some of the same rows do not deadlock. */
export function inOrder<Run extends HeldRun>(runs: readonly Run[]): Run[] {
  return runs.toSorted((a, b) => (a.org_id === b.org_id ? compare(a.id, b.id) : compare(a.org_id, b.org_id)));
}

function columnsOf(held: readonly HeldRun[]) {
  const runs = inOrder(held);
  return [runs.map(({ org_id }) => org_id), runs.map(({ id }) => id), runs.map(({ epoch }) => epoch)];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : 1;
}
