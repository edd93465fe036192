import { type Db, onlyRow, type SharedStatement, type Statement, statement, type UnitDb } from '@relata/db';
import { AppError } from '@relata/schemas/errors';
import { type Match, readMatch } from './record-match.ts';
import type { Row } from '../table/record-column.ts';
import { textCondition, type IndexedText, textRange } from '../table/record-condition.ts';
import { type RecordTable, selected, toRecord } from '../table/record-table.ts';

/** Maximum number of candidates that an error names. */
export const namedMax = 10;
/** Number up to which matches are counted. */
export const countMax = 100;

/**
 * Returns the records that match all of `match`, in ascending order of id. Throws `validation_error` if the match is
 * empty or contains an empty value.
 */
export async function findMatches<Rec>(
  db: Db,
  orgId: string,
  table: RecordTable<Rec>,
  match: unknown,
  limit: number,
): Promise<Rec[]> {
  const read = readMatch(table, match);
  const [rows] = await matchingBy(table, namesOf(read)).run(db, [{ orgId, values: valuesOf(read), limit }]);
  return rows!.map((row) => toRecord(table, row));
}

/** Returns the one record that matches, or null. Throws `ambiguous_match`, with the candidates, if several match. */
export async function findOneRecord<Rec>(db: UnitDb, orgId: string, table: RecordTable<Rec>, match: unknown) {
  return findOne(db, orgId, table, readMatch(table, match));
}

/** Like findOneRecord, for a match that has already been read. */
export async function findOne<Rec>(
  db: UnitDb,
  orgId: string,
  table: RecordTable<Rec>,
  match: Match,
): Promise<Rec | null> {
  return chooseOne(db, orgId, table, match, await findCandidates(db, orgId, table, match));
}

/** Chooses one of several matching records. */
export type Choice = 'oldest' | 'newest';

/** Returns the chosen candidate, or null if there is none. Throws `ambiguous_match` for several without a choice. */
export async function chooseOne<Rec>(
  db: UnitDb,
  orgId: string,
  table: RecordTable<Rec>,
  match: Match,
  { rows, count }: Candidates,
  choice?: Choice,
): Promise<Rec | null> {
  if (count <= 1) return rows[0] ? toRecord(table, rows[0]) : null;
  if (choice === undefined) {
    const ids = idsOf(rows);
    throw new AppError('ambiguous_match', severalMatch(table, ids, count), { data: named(ids, count) });
  }
  const call = { orgId, values: valuesOf(match), limit: namedMax };
  const isCut = choice === 'newest' && count > rows.length;
  const pool = isCut ? await db.call(matchingBy(table, namesOf(match), 'DESC'), call) : rows;
  return toRecord(table, pool.toSorted(byAge).at(choice === 'oldest' ? 0 : -1)!);
}

/** Ids ascend with the time of creation, but clocks of processes differ by a little. */
function byAge(a: Row, b: Row): number {
  const age = (row: Row) => `${row['created_at'] as string} ${row['id'] as string}`;
  return age(a) < age(b) ? -1 : 1;
}

/** Candidates for a match: the rows of at most ten, in ascending order of id, and how many match, counted up to 100. */
export interface Candidates {
  rows: readonly Row[];
  count: number;
}

export const idsOf = (rows: readonly Row[]) => rows.map(({ id }) => id as string);

export async function findCandidates(
  db: UnitDb,
  orgId: string,
  table: RecordTable<unknown>,
  match: Match,
): Promise<Candidates> {
  const rows = await matchingRows(db, orgId, table, match, namedMax + 1);
  const count = rows.length > namedMax ? await countMatches(db, orgId, table, match) : rows.length;
  return { rows: rows.slice(0, namedMax), count };
}

/** Returns the structured fields of an error that names candidates. */
export const named = (ids: readonly string[], count: number) => ({ candidate_ids: ids, candidate_count: count });

function severalMatch({ name }: RecordTable<unknown>, ids: readonly string[], count: number): string {
  return `${countText(count)} ${name} match: ${ids.join(', ')}${count > ids.length ? ', …' : '.'}`;
}

export const countText = (count: number) => (count === countMax ? `At least ${count}` : String(count));

interface MatchCall {
  orgId: string;
  values: readonly string[];
  limit: number;
}

interface Matching extends SharedStatement<MatchCall, Row[]> {
  /** Runs without waiting for any lock. */
  run(db: Db, calls: readonly MatchCall[]): Promise<Row[][]>;
}

function matchingRows(
  db: UnitDb,
  orgId: string,
  table: RecordTable<unknown>,
  match: Match,
  limit: number,
): Promise<Row[]> {
  return db.call(matchingBy(table, namesOf(match)), { orgId, values: valuesOf(match), limit });
}

const namesOf = (match: Match) => match.map(([name]) => name);
const valuesOf = (match: Match) => match.map(([, value]) => value);

type Order = 'ASC' | 'DESC';

const matchings = new Map<string, Matching>();

/** Returns the statement for a set of names. There are few: the subsets of at most four names. */
function matchingBy(table: RecordTable<unknown>, names: readonly string[], order: Order = 'ASC'): Matching {
  const name = [table.name, order === 'ASC' ? 'match' : 'match_newest', ...names].join('.');
  return matchings.getOrInsertComputed(name, () =>
    matching(statement<Row>(name, matchSql(table, names, order)), names.length),
  );
}

function matching(prepared: Statement<Row>, width: number): Matching {
  return {
    async run(db, calls) {
      const columns = Array.from({ length: width }, (_, i) => calls.map(({ values }) => values[i]));
      const limit = Math.max(...calls.map((call) => call.limit));
      const rows = await db.query(prepared, [limit, calls.map(({ orgId }) => orgId), ...columns]);
      const found: Row[][] = calls.map(() => []);
      for (const row of rows) found[(row['n'] as number) - 1]!.push(row);
      return found.map((each, i) => each.slice(0, calls[i]!.limit));
    },
  };
}

/** Returns SQL that reads only the requested number of rows for each match, in the given order, however many match. */
function matchSql(table: RecordTable<unknown>, names: readonly string[], by: Order): string {
  const given = names.map((_, i) => `$${i + 3}::text[]`).join(', ');
  const values = names.map((_, i) => `value${i}`);
  const { condition, order } = lookUp(
    table,
    names,
    values.map((value) => `given.${value}`),
    by,
  );
  return `SELECT given.n::integer, found.* FROM unnest($2::uuid[], ${given}) WITH ORDINALITY AS given (org_id, ${values.join(', ')}, n)
    CROSS JOIN LATERAL (
      SELECT ${selected(table)} FROM ${table.name} r WHERE r.org_id = given.org_id AND ${condition} ORDER BY ${order} LIMIT $1
    ) found ORDER BY given.n, found.id ${by}`;
}

/**
 * Returns the condition and order of a look-up. It finds a text by the range of one hash, in the order of its index.
 * With an equal hash the planner would know that this is also the order of ids, and might instead scan all records of
 * the organization by id.
 */
function lookUp(
  { matches }: RecordTable<unknown>,
  names: readonly string[],
  filters: readonly string[],
  by: Order = 'ASC',
) {
  const compared = names.map((name) => matches[name]!);
  const isOne = compared.some((each) => typeof each === 'string');
  const ranged = isOne ? undefined : (compared[0] as IndexedText);
  const conditions = compared.map((each, i) =>
    (each === ranged ? textRange(ranged) : textOf(each)).replaceAll('$filter', filters[i]!),
  );
  return { condition: conditions.join(' AND '), order: ranged ? `${ranged.hash} ${by}, r.id ${by}` : `r.id ${by}` };
}

const textOf = (compared: IndexedText | string) => (typeof compared === 'string' ? compared : textCondition(compared));

const counts = new Map<string, Statement<{ count: number }>>();

async function countMatches(db: Db, orgId: string, table: RecordTable<unknown>, match: Match): Promise<number> {
  const name = [table.name, 'count_matches', ...namesOf(match)].join('.');
  const counting = counts.getOrInsertComputed(name, () => statement(name, countSql(table, namesOf(match))));
  return (await onlyRow(db, counting, [orgId, ...valuesOf(match)])).count;
}

function countSql(table: RecordTable<unknown>, names: readonly string[]): string {
  const filters = names.map((_, i) => `$${i + 2}::text`);
  const { condition, order } = lookUp(table, names, filters);
  return `SELECT count(*)::integer AS count FROM (
    SELECT FROM ${table.name} r WHERE r.org_id = $1 AND ${condition} ORDER BY ${order} LIMIT ${countMax}) counted`;
}
