import type { Db } from '@relata/db';
import { listRecords, type RecordTable } from '@relata/records';
import { org } from '../commands/orgs/organization-option.ts';
import type { Column, Row } from '../output/result.format.ts';
import { command } from './command.ts';

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

/** Declares `list` for records that only operators create. */
export const recordList = <Rec extends object>(
  noun: string,
  summary: string,
  { table, columns }: { table: RecordTable<Rec>; columns: readonly Column<Rec>[] },
) =>
  command({
    name: 'list',
    summary,
    options: { org },
    examples: [`${noun} list --org ORG_ID`],
    columns: columns as never,
    run: ({ database }, { org: orgId }) => listAll(database, orgId, table),
  });
