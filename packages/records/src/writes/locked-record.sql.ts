import { locked, type SharedStatement, type UnitDb } from '@relata/db';
import type { Lookup } from '../record.sql.ts';
import { memoizePerTable, type RecordTable, toRecord } from '../table/record-table.ts';

/**
 * Returns the name that a unit holds once it locks or changes a record. Row locks do not separate the units of one
 * transaction, since these units share them.
 */
export const heldRecord = ({ orgId, id }: Lookup): string => `${orgId} ${id.toLowerCase()}`;

const lockedRecords = memoizePerTable((table): SharedStatement<Lookup, unknown> => {
  const { findMany, lockMany, tryLockMany } = table.statements;
  return {
    async run(db, calls, { waits }) {
      const columns = [calls.map(({ orgId }) => orgId), calls.map(({ id }) => id)];
      const rows = await db.query(waits ? lockMany : tryLockMany, columns);
      const found = new Map<number, unknown>(rows.map((row) => [row.n, toRecord(table, row)]));
      if (waits || rows.length === calls.length) return calls.map((_call, i) => found.get(i + 1));
      // A record that exists but was not returned is locked by another transaction.
      const existing = new Set((await db.query(findMany, columns)).map(({ n }) => n));
      return calls.map((_call, i) => found.get(i + 1) ?? (existing.has(i + 1) ? locked : undefined));
    },
    holds: (call) => [heldRecord(call)],
  };
});

/** Locks a record until the unit ends. Returns its current values; undefined if it does not exist. */
export async function lockRecord<Rec>(db: UnitDb, orgId: string, table: RecordTable<Rec>, id: string) {
  return (await db.call(lockedRecords(table), { orgId, id })) as Rec | undefined;
}
