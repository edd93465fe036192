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

/** Number of records whose links one transaction moves. */
const stepMax = 1_000;

/**
 * Merges records that any number of others refer to, in transactions of `stepMax` links; the last one merges the
 * records. If it is interrupted, calling it again continues it; after the last transaction it changes nothing more. The
 * merge cannot be undone: the trash keeps only where the losers went. Throws like mergeRecords, except
 * `too_many_linked`.
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
    const merged = await executor.alone(unit, { isBulk: true });
    if (merged) return merged;
  }
}

/** Moves some links to the winner. Merges the records and returns the result once there are no more. */
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

/** Returns the first records, `stepMax` of all kinds together. */
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
