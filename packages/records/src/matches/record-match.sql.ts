import { type Db, type Statement, statement } from '@relata/db';
import { AppError } from '@relata/schemas';
import { type Match, readMatch } from './record-match.ts';
import type { Row } from '../table/record-column.ts';
import { type RecordTable, selected, toRecord } from '../table/record-table.ts';

/** So many are named where several match. */
const namedMax = 10;

/**
 * The records for which everything in `match` holds, in ascending order of id. A match that is empty, or holds a value
 * that is, is a `validation_error`.
 */
export async function findMatches<Rec>(
  db: Db,
  orgId: string,
  table: RecordTable<Rec>,
  match: unknown,
  limit: number,
): Promise<Rec[]> {
  return (await matchingRows(db, orgId, table, readMatch(table, match), limit)).map((row) => toRecord(table, row));
}

/** The one record that matches, or null; `conflict` where there are several, naming them. */
export async function findOneRecord<Rec>(db: Db, orgId: string, table: RecordTable<Rec>, match: unknown) {
  return findOne(db, orgId, table, readMatch(table, match));
}

/** The same of a match that was read already. */
export async function findOne<Rec>(db: Db, orgId: string, table: RecordTable<Rec>, match: Match): Promise<Rec | null> {
  const rows = await matchingRows(db, orgId, table, match, namedMax + 1);
  if (rows.length > 1) throw severalMatch(table, rows);
  return rows[0] ? toRecord(table, rows[0]) : null;
}

function severalMatch({ name }: RecordTable<unknown>, rows: readonly Row[]): AppError {
  const count = rows.length > namedMax ? `More than ${namedMax}` : rows.length;
  const ids = rows.slice(0, namedMax).map(({ id }) => id as string);
  return new AppError('conflict', `${count} ${name} match: ${ids.join(', ')}${rows.length > namedMax ? ', …' : '.'}`);
}

function matchingRows(db: Db, orgId: string, table: RecordTable<unknown>, match: Match, limit: number): Promise<Row[]> {
  const prepared = matchStatement(
    table,
    match.map(([name]) => name),
  );
  return db.query(prepared, [orgId, limit, ...match.map(([, value]) => value)]);
}

const statements = new Map<string, Statement<Row>>();

/** There are few: the subsets of at most four names. */
function matchStatement(table: RecordTable<unknown>, names: readonly string[]): Statement<Row> {
  const name = [table.name, 'match', ...names].join('.');
  let found = statements.get(name);
  if (!found) statements.set(name, (found = statement<Row>(name, matchSql(table, names))));
  return found;
}

function matchSql(table: RecordTable<unknown>, names: readonly string[]): string {
  const conditions = names.map((name, i) => table.matches[name]!.replaceAll('$filter', `$${i + 3}`));
  return `SELECT ${selected(table)} FROM ${table.name} r
    WHERE r.org_id = $1 AND ${conditions.join(' AND ')}
    ORDER BY r.id LIMIT $2`;
}
