import { statement } from '@relata/db';
import { opportunities } from '../opportunities/opportunity.table.ts';
import { linkedCountMax, linkedMax, tooManyLinked } from '../trash/linked-limit.ts';
import type { Row } from '../table/record-column.ts';
import { changeRows, lockRows, newChange } from '../writes/record-change.sql.ts';
import type { RuleContext } from '../table/record-table.ts';

/** Selects the opportunities at some stages, and those without a stage that name a pipeline. */
export interface OpportunitySelection {
  stageIds: readonly string[];
  /** Name of the pipeline; undefined to select by stage only. */
  freePipeline?: string | undefined;
  /** Leaves out opportunities at a stage that already have this pipeline. */
  except?: string | undefined;
}

const find = statement<{ id: string }>(
  'opportunities.of_settings',
  `SELECT id FROM (
     SELECT r.id FROM opportunities r WHERE r.org_id = $1 AND r.stage_id = ANY ($2::uuid[])
       AND ($4::text IS NULL OR r.pipeline IS DISTINCT FROM $4::text)
     UNION ALL
     SELECT r.id FROM opportunities r WHERE r.org_id = $1 AND r.stage_id IS NULL
       AND hashtextextended(r.pipeline, 0) = hashtextextended($3::text, 0) AND r.pipeline = $3::text
   ) each WHERE $5::uuid[] IS NULL OR id = ANY ($5::uuid[]) ORDER BY id LIMIT $6`,
);

/** Finds at most `limit` selected opportunities in the order of their ids. If `among` is given, it finds only these. */
export async function findOpportunities(
  { db, orgId }: Pick<RuleContext, 'db' | 'orgId'>,
  { stageIds, freePipeline, except }: OpportunitySelection,
  { among, limit = linkedCountMax + 1 }: { among?: readonly string[]; limit?: number } = {},
): Promise<string[]> {
  const values = [orgId, stageIds, freePipeline ?? null, except ?? null, among ?? null, limit];
  return (await db.query(find, values)).map(({ id }) => id);
}

/** Maximum number of changes in a statement. */
const changesMax = 500;

/**
 * Sets these fields of the selected opportunities, writes an event for each, and returns their number. The caller holds
 * the lock of `lockStageUses`, so no other opportunity can get one of the stages meanwhile. Throws `too_many_linked`.
 */
export async function changeOpportunities(
  on: RuleContext,
  selection: OpportunitySelection,
  patch: Row,
): Promise<number> {
  const found = await findOpportunities(on, selection);
  if (found.length > linkedMax) throw tooManyLinked(found.length);
  return changeSelected(on, selection, found, patch);
}

/** Sets these fields of the found opportunities that are still selected, and returns their number. */
export async function changeSelected(
  on: RuleContext,
  selection: OpportunitySelection,
  found: readonly string[],
  patch: Row,
): Promise<number> {
  if (found.length === 0) return 0;
  await lockRows(on.db, on.orgId, opportunities, found);
  // Some opportunities may have left their stage before they were locked.
  const ids = await findOpportunities(on, selection, { among: found });
  for (let start = 0; start < ids.length; start += changesMax) {
    const changes = ids
      .slice(start, start + changesMax)
      .map((id) => newChange(on.actor, { id, patch }, opportunities.writable));
    await changeRows(on.db, opportunities, changes, { skipsLocked: false });
  }
  return ids.length;
}
