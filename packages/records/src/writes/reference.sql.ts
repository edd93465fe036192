import { brokenForeignKey, type Db, statement } from '@relata/db';
import { AppError, type ErrorDetail, validationError } from '@relata/schemas/errors';
import { findWinners } from '../trash/winner.sql.ts';
import type { Row } from '../table/record-column.ts';
import { memoizePerTable, type RecordTable } from '../table/record-table.ts';

type Table = RecordTable<unknown>;

/**
 * Returns the error for a write that broke a foreign key, with every field that refers to something missing. Returns
 * any other error unchanged. Also returns the given error if the fields cannot be looked up because the transaction has
 * failed.
 */
export async function explainForeignKey(db: Db, orgId: string, table: Table, given: Row, error: unknown) {
  if (brokenForeignKey(error) === undefined) return error;
  const details = await missingDetails(db, orgId, table, given).catch(() => []);
  return details.length > 0 ? validationError(details) : error;
}

/**
 * Throws `invalid_reference` for fields that refer to something missing, before a broken foreign key would end the
 * transaction.
 */
export async function refuseMissing(db: Db, orgId: string, table: Table, given: Row): Promise<void> {
  const details = await missingDetails(db, orgId, table, given);
  if (details.length > 0) throw validationError(details);
}

/** Returns a detail for each field that refers to something missing; for a merged record, it names the winner. */
export async function missingDetails(db: Db, orgId: string, table: Table, given: Row): Promise<ErrorDetail[]> {
  const [details] = await findMissingDetails(db, orgId, table, [given]);
  return details!;
}

/** Like missingDetails, for many rows with at most two statements. The results are in the order of the rows. */
export async function findMissingDetails(
  db: Db,
  orgId: string,
  table: Table,
  rows: readonly Row[],
): Promise<ErrorDetail[][]> {
  const missing = await findMissingReferences(db, orgId, table, rows);
  const ids = rows.flatMap((row, i) => missing[i]!.flatMap((field) => idsOf(row[field])));
  const found = ids.length === 0 ? [] : await findWinners(db, orgId, [...new Set(ids)]);
  const winners = new Map(found.map(({ id, winner }) => [id, winner]));
  return rows.map((row, i) =>
    missing[i]!.map((field) => {
      const merged = idsOf(row[field]).find((id) => winners.has(id));
      const mergedInto = merged === undefined ? {} : { merged_into: winners.get(merged)! };
      const message = 'Does not exist in this organization.';
      return { in: 'body', field, code: 'invalid_reference', message, ...mergedInto };
    }),
  );
}

/** Returns the error for a write that concurrent changes prevented twice, although no reference is missing now. */
export function referencesChange(): AppError {
  return new AppError('conflict', 'A referenced record is being changed by another request. Retry.');
}

/**
 * Returns the fields of each row with ids that the organization does not have. Runs no statement if there are no ids.
 */
async function findMissingReferences(db: Db, orgId: string, table: Table, rows: readonly Row[]): Promise<string[][]> {
  const fields = Object.keys(table.references);
  const ids = fields.map((field) => [...new Set(rows.flatMap((row) => idsOf(row[field])))]);
  if (ids.every(({ length }) => length === 0)) return rows.map(() => []);
  const [found] = await db.query(findingExisting(table), [orgId, ...ids]);
  const existing = new Map(fields.map((field) => [field, new Set(found![field])]));
  return rows.map((row) => fields.filter((field) => idsOf(row[field]).some((id) => !existing.get(field)!.has(id))));
}

function idsOf(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  const ids = Array.isArray(value) ? (value as string[]) : [value as string];
  return ids.map((id) => id.toLowerCase());
}

/** Statements that find the existing ids of each field. */
const findingExisting = memoizePerTable(({ name, references }) => {
  const lists = Object.entries(references).map(
    ([field, target], i) =>
      `ARRAY(SELECT id::text FROM ${target} WHERE org_id = $1 AND id = ANY ($${i + 2}::uuid[])) AS ${field}`,
  );
  return statement<Record<string, string[]>>(`${name}.references`, `SELECT ${lists.join(', ')}`);
});
