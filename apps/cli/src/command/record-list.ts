import type { Db } from '@relata/db';
import { listRecords, type RecordTable } from '@relata/records';
import type { Row } from '../output/result.format.ts';

const pageRows = 1_000;

/** Returns all records of an organization that match the filters, reading page by page. */
export async function listAll<Rec extends object>(
  db: Db,
  orgId: string,
  table: RecordTable<Rec>,
  filters: Row = {},
): Promise<Rec[]> {
  const all: Rec[] = [];
  for (let hasMore = true; hasMore;) {
    const { page } = await listRecords(db, orgId, table, { ...filters, limit: pageRows, offset: all.length });
    all.push(...page.data);
    hasMore = page.has_more && page.data.length > 0;
  }
  return all;
}
