import { findWith, listWith, type Statement, statement } from '@relata/db';
import { memoizePerTable } from '../table/record-table.ts';
import type { RecordCounts } from '../trash/delete-record.ts';

/** Key of a merge in steps; `loserIds` are in ascending order. */
type MergeKey = [orgId: string, winnerId: string, loserIds: readonly string[]];

/** Finds the numbers of records whose links the steps of a merge have moved; undefined before the first step. */
export const findMoved = findWith<{ moved: RecordCounts }, MergeKey>(
  'merge_steps.find',
  'SELECT moved FROM merge_steps WHERE org_id = $1 AND winner_id = $2 AND loser_ids = $3::uuid[]',
);

export const keepMoved = listWith<never, [...MergeKey, moved: string]>(
  'merge_steps.keep',
  `INSERT INTO merge_steps (org_id, winner_id, loser_ids, moved) VALUES ($1, $2, $3::uuid[], $4::jsonb)
   ON CONFLICT (org_id, winner_id, loser_ids) DO UPDATE SET moved = excluded.moved`,
);

/** A merge in steps that is not finished. */
export interface BegunMerge {
  winner_id: string;
  loser_ids: string[];
}

/**
 * Finds a merge in steps in which one of the records is the winner or a loser. Ignores a merge if one of its records no
 * longer exists, since it cannot be continued.
 */
export const findBegun = memoizePerTable(({ name }): Statement<BegunMerge> =>
  statement(
    `merge_steps.begun.${name}`,
    `SELECT s.winner_id, s.loser_ids FROM merge_steps s
       WHERE s.org_id = $1::uuid AND (s.winner_id = ANY ($2::uuid[]) OR s.loser_ids && $2::uuid[])
         AND NOT EXISTS (SELECT FROM unnest(s.winner_id || s.loser_ids) AS named (id)
           WHERE NOT EXISTS (SELECT FROM ${name} r WHERE r.org_id = $1::uuid AND r.id = named.id)) LIMIT 1`,
  ),
);

/**
 * Deletes all unfinished merges in steps that had one of these records as a loser, including merges with another winner
 * or other losers.
 */
export const forgetMoved = listWith<never, [orgId: string, loserIds: readonly string[]]>(
  'merge_steps.forget',
  'DELETE FROM merge_steps WHERE org_id = $1 AND loser_ids && $2::uuid[]',
);

/** Empties the trash entries of losers, as a purge does. They then only lead to the winner. */
export const emptyEntries = listWith<never, [orgId: string, ids: readonly string[]]>(
  'trash.empty',
  'UPDATE trash SET record = NULL, relinked = NULL WHERE org_id = $1 AND id = ANY ($2::uuid[])',
);
