import { type Db, locked, type SharedStatement, statement } from '@relata/db';
import { memoizePerTable, type RecordTable } from '../table/record-table.ts';
import { heldRecord } from '../writes/locked-record.sql.ts';
import { type IncomingLink, memoizePerLink, referringIds, statementName } from './links.ts';

const finding = memoizePerLink((referrer) => {
  const each = referringIds(referrer, '$1::uuid', 'given.id', '$3::integer');
  // A record is found once for each id that it refers to.
  const foundMax = `$3::integer * ${referrer.links.reduce((sum, { listMax }) => sum + listMax, 0)}`;
  return statement<{ id: string }>(
    statementName(referrer, 'referring'),
    `SELECT DISTINCT id FROM (
       SELECT found.id FROM unnest($2::uuid[]) AS given (id) CROSS JOIN LATERAL (${each}) found LIMIT ${foundMax}
     ) found LIMIT $3::integer`,
  );
});

/** Finds at most `limit` records that refer to some of the ids. */
export async function findReferring(
  db: Db,
  orgId: string,
  referrer: IncomingLink,
  ids: readonly string[],
  limit: number,
): Promise<string[]> {
  return (await db.query(finding(referrer), [orgId, ids, limit])).map(({ id }) => id);
}

/** Records of one organization. */
interface RecordIds {
  orgId: string;
  ids: readonly string[];
}

/**
 * Purpose of a lock: `update` for records whose fields change, `delete` for records to which no references may be added
 * any more, `keep` for records that may change but must not be deleted.
 */
type LockFor = 'update' | 'delete' | 'keep';

const lockings: Record<LockFor, ReturnType<typeof locking>> = {
  update: locking('update', 'NO KEY UPDATE'),
  delete: locking('delete', 'UPDATE'),
  keep: locking('keep', 'KEY SHARE'),
};

/**
 * Returns a statement that locks records in the order of their ids, so that transactions wait for each other without a
 * deadlock. It returns the ids of those that exist.
 */
export const locksFor = (use: LockFor, table: RecordTable<unknown>) => lockings[use](table);

function locking(use: LockFor, strength: string) {
  return memoizePerTable((table): SharedStatement<RecordIds, readonly string[]> => {
    const sql = `SELECT r.org_id || ' ' || r.id AS key, r.id FROM unnest($1::uuid[], $2::uuid[]) AS given (org_id, id)
      JOIN ${table.name} r ON r.org_id = given.org_id AND r.id = given.id ORDER BY r.org_id, r.id`;
    const prepared = (name: string, text: string) =>
      statement<{ key: string; id: string }>(`${table.name}.${name}`, text);
    const wait = prepared(`lock_for_${use}`, `${sql} FOR ${strength} OF r`);
    const attempt = prepared(`try_lock_for_${use}`, `${sql} FOR ${strength} OF r SKIP LOCKED`);
    const existing = prepared('existing', sql);
    return {
      async run(db, calls, { waits }) {
        const values = [calls.flatMap(({ orgId, ids }) => ids.map(() => orgId)), calls.flatMap(({ ids }) => ids)];
        const rows = await db.query(waits ? wait : attempt, values);
        // A record that exists but was not returned is locked by another transaction.
        const all = waits || rows.length === values[0]!.length ? rows : await db.query(existing, values);
        const [taken, known] = [new Set(rows.map(({ key }) => key)), new Set(all.map(({ key }) => key))];
        return calls.map((call) => {
          const keys = call.ids.map((id) => `${call.orgId} ${id}`).filter((key) => known.has(key));
          return keys.every((key) => taken.has(key)) ? keys.map((key) => key.slice(key.indexOf(' ') + 1)) : locked;
        });
      },
      holds: ({ orgId, ids }) => ids.map((id) => heldRecord({ orgId, id })),
    };
  });
}
