import { brokenForeignKey, type Db, statement } from '@relata/db';
import { invalidReferences } from '@relata/schemas';
import type { RecordTable, Row } from './record-table.ts';

type Table = RecordTable<unknown>;

/** What a write that broke a foreign key is answered with: every field that names nothing. Other errors stay. */
export async function explainForeignKey(db: Db, orgId: string, table: Table, given: Row, error: unknown) {
  if (brokenForeignKey(error) === undefined) return error;
  const missing = await missingReferences(db, orgId, table, given);
  return missing.length > 0 ? invalidReferences(missing) : error;
}

/** The fields whose ids the organization does not have. */
export async function missingReferences(db: Db, orgId: string, table: Table, given: Row): Promise<string[]> {
  const missing: string[] = [];
  for (const [field, target] of Object.entries(table.references ?? {})) {
    const ids = idsOf(given[field]);
    if (ids.length > 0 && (await countExisting(db, orgId, target, ids)) < ids.length) missing.push(field);
  }
  return missing;
}

function idsOf(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  return [...new Set(Array.isArray(value) ? (value as string[]) : [value as string])];
}

async function countExisting(db: Db, orgId: string, target: string, ids: string[]): Promise<number> {
  const existing = statement<{ n: number }>(
    `${target}.existing`,
    `SELECT count(*) AS n FROM ${target} WHERE org_id = $1 AND id = ANY ($2::uuid[])`,
  );
  const [row] = await db.query(existing, [orgId, ids]);
  return row!.n;
}
