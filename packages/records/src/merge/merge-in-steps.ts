import { type Database, Executor, type UnitDb } from '@relata/db';
import type { Actor } from '@relata/events';
import { findRecord } from '../record.sql.ts';
import type { RecordTable } from '../table/record-table.ts';
import type { RecordCounts } from '../trash/delete-record.ts';
import { findWinners } from '../trash/winner.sql.ts';
import {
  completeMerge,
  countOf,
  findLinks,
  type LinksToLosers,
  lockAll,
  type Merge,
  type Merged,
  moveLinks,
} from './merge-records.ts';
import { emptyEntries, findMoved, keepMoved } from './merge-steps.sql.ts';
import { movesLinksForGood } from './move-links.sql.ts';

/** Maximum number of records whose links one transaction moves. */
const stepMax = 1_000;

/**
 * Merges records that any number of others refer to. Each transaction moves the links of at most `stepMax` records, and
 * the last one merges the records. If a merge is interrupted, another call continues it; after the last transaction, a
 * call changes nothing. The merge cannot be undone: the trash keeps only the ids of the losers and of their winner.
 * Throws `invalid_reference` and `precondition_failed` like mergeRecords.
 */
export async function mergeInSteps<Rec>(
  { database }: { database: Database },
  actor: Actor,
  table: RecordTable<Rec>,
  given: Merge,
): Promise<Merged<Rec>> {
  const executor = new Executor(database);
  const { orgId } = actor;
  for (;;) {
    const unit = { orgId, run: (db: UnitDb) => mergeStep(db, actor, table, given) };
    const merged = await executor.runAlone(unit, { isBulk: true });
    if (merged) return merged;
  }
}

/** Moves some links to the winner. Merges the records and returns the result once no links are left. */
async function mergeStep<Rec>(
  db: UnitDb,
  actor: Actor,
  table: RecordTable<Rec>,
  given: Merge,
): Promise<Merged<Rec> | undefined> {
  const { orgId } = actor;
  const { winnerId, loserIds } = given;
  const done = await findDone(db, orgId, table, given);
  if (done) return { record: done, changed: [], filled: [], moved: {} };
  const known = await lockAll(db, orgId, table, given);
  const found = await findLinks(db, orgId, table, loserIds, stepMax + 1);
  const key = [orgId, winnerId, loserIds.toSorted()] as const;
  const before = (await findMoved(db, ...key))?.moved ?? {};
  const moved = sumOf(before, await moveLinks(db, actor, given, firstOf(found), movesLinksForGood));
  if (countOf(found) > stepMax) {
    await keepMoved(db, ...key, JSON.stringify(moved));
    return undefined;
  }
  const merged = await completeMerge(db, actor, table, { given, known, moved });
  await emptyEntries(db, orgId, loserIds);
  return merged;
}

/** Returns the winner if all losers were merged into it. */
async function findDone<Rec>(db: UnitDb, orgId: string, table: RecordTable<Rec>, { winnerId, loserIds }: Merge) {
  const winners = await findWinners(db, orgId, loserIds);
  const isDone = winners.length === loserIds.length && winners.every(({ winner }) => winner === winnerId);
  return isDone ? findRecord(db, orgId, table, winnerId) : undefined;
}

/** Returns the first `stepMax` records, counted over all kinds. */
function firstOf(found: readonly LinksToLosers[]): LinksToLosers[] {
  let left = stepMax;
  return found.map(({ referrer, ids }) => {
    const first = ids.slice(0, left);
    left -= first.length;
    return { referrer, ids: first };
  });
}

function sumOf(some: RecordCounts, more: RecordCounts): RecordCounts {
  const sum = { ...some };
  for (const [kind, count] of Object.entries(more)) sum[kind] = (sum[kind] ?? 0) + count;
  return sum;
}
