import { findWith, listWith, locked, type SharedStatement, statement, type UnitDb } from '@relata/db';
import { heldRecord } from '../writes/locked-record.sql.ts';

/**
 * Returns SQL for the key of a lock. Units that set the stage of an opportunity share it; units that delete stages or
 * pipelines, or rename pipelines, hold it exclusively.
 */
const keyOf = (orgId: string) => `hashtextextended('stages ' || ${orgId}::text, 0)`;

interface StageUse {
  orgId: string;
  /** Id of the opportunity that will be locked next; undefined if there is none yet. */
  opportunityId?: string | undefined;
}

const share = statement<{ is_locked: boolean }>(
  'stages.share',
  `SELECT true AS is_locked, pg_advisory_xact_lock_shared(${keyOf('org_id')}) FROM unnest($1::uuid[]) AS given (org_id)`,
);

const tryShare = statement<{ is_locked: boolean }>(
  'stages.try_share',
  `SELECT pg_try_advisory_xact_lock_shared(${keyOf('org_id')}) AS is_locked
   FROM unnest($1::uuid[]) WITH ORDINALITY AS given (org_id, n) ORDER BY n`,
);

const uses: SharedStatement<StageUse, void> = {
  async run(db, calls, { waits }) {
    const orgIds = [...new Set(calls.map(({ orgId }) => orgId))];
    const rows = await db.query(waits ? share : tryShare, [orgIds]);
    const busy = new Set(orgIds.filter((_orgId, i) => !rows[i]!.is_locked));
    return calls.map(({ orgId }) => (busy.has(orgId) ? locked : undefined));
  },
  // From here on, other units of the transaction wait before they change this opportunity. Otherwise, a unit that sets
  // no stage, and so does not take this lock, could change it first.
  holds: ({ orgId, opportunityId: id }) => (id === undefined ? [] : [heldRecord({ orgId, id })]),
};

/**
 * Locks the stages of an organization against deletes, and their pipelines against renames, until the unit ends.
 * Several units may hold this lock at the same time. It must be taken before any lock of an opportunity.
 */
export async function shareStageLock(db: UnitDb, use: StageUse): Promise<void> {
  await db.call(uses, use);
}

/**
 * Waits for the units that hold the lock of `shareStageLock`, and lets no others take it until the unit ends. Must be
 * called after `lockSettings`. Later statements see what the other units have written.
 */
export const lockStageUses = listWith<{ locked: string }, [orgId: string]>(
  'stages.lock_uses',
  `SELECT pg_advisory_xact_lock(${keyOf('$1::uuid')})::text AS locked`,
);

/** Returns the pipeline of a stage; undefined if the organization has no such stage. */
export const findPipelineOfStage = findWith<{ name: string }, [orgId: string, stageId: string]>(
  'stages.pipeline_name',
  `SELECT p.name FROM stages s JOIN pipelines p ON p.org_id = s.org_id AND p.id = s.pipeline_id
   WHERE s.org_id = $1 AND s.id = $2`,
);
