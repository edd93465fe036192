import { type Db, type SharedStatement, type Statement, statement, type UnitDb } from '@relata/db';
import { AppError } from '@relata/schemas/errors';
import { type Match, readMatch } from './record-match.ts';
import type { Row } from '../table/record-column.ts';
import { conditionOf, type IndexedText, rangeOf } from '../table/record-condition.ts';
import { type RecordTable, selected, toRecord } from '../table/record-table.ts';

/** So many are named where several match. */
const namedMax = 10;
/** Several matches are counted up to this. */
const countMax = 100;

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
  const read = readMatch(table, match);
  const [rows] = await matchingBy(table, namesOf(read)).run(db, [{ orgId, values: valuesOf(read), limit }]);
  return rows!.map((row) => toRecord(table, row));
}

/** The one record that matches, or null; `ambiguous_match` where there are several, naming them. */
export async function findOneRecord<Rec>(db: UnitDb, orgId: string, table: RecordTable<Rec>, match: unknown) {
  return findOne(db, orgId, table, readMatch(table, match));
}

/** The same of a match that was read already. */
export async function findOne<Rec>(
  db: UnitDb,
  orgId: string,
  table: RecordTable<Rec>,
  match: Match,
): Promise<Rec | null> {
  const { ids, first, count } = await findCandidates(db, orgId, table, match);
  if (count > 1) throw new AppError('ambiguous_match', severalMatch(table, ids, count), { data: named(ids, count) });
  return first ?? null;
}

/** What a match may mean: the first record, the ids of at most ten, the oldest first, and how many there are, at most 100. */
export interface Candidates<Rec> {
  first: Rec | undefined;
  ids: readonly string[];
  count: number;
}

export async function findCandidates<Rec>(
  db: UnitDb,
  orgId: string,
  table: RecordTable<Rec>,
  match: Match,
): Promise<Candidates<Rec>> {
  const rows = await matchingRows(db, orgId, table, match, namedMax + 1);
  const count = rows.length > namedMax ? await countMatches(db, orgId, table, match) : rows.length;
  const ids = rows.slice(0, namedMax).map(({ id }) => id as string);
  return { first: rows[0] && toRecord(table, rows[0]), ids, count };
}

/** What an error that names candidates carries for programs. */
export const named = (ids: readonly string[], count: number) => ({ candidate_ids: ids, candidate_count: count });

function severalMatch({ name }: RecordTable<unknown>, ids: readonly string[], count: number): string {
  return `${countText(count)} ${name} match: ${ids.join(', ')}${count > ids.length ? ', …' : '.'}`;
}

/** Says a count of matches. */
export const countText = (count: number) => (count === countMax ? `At least ${count}` : String(count));

interface MatchCall {
  orgId: string;
  values: readonly string[];
  limit: number;
}

interface Matching extends SharedStatement<MatchCall, Row[]> {
  /** It waits for nothing. */
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

const matchings = new Map<string, Matching>();

/** There are few: the subsets of at most four names. */
function matchingBy(table: RecordTable<unknown>, names: readonly string[]): Matching {
  const name = [table.name, 'match', ...names].join('.');
  let found = matchings.get(name);
  if (!found) matchings.set(name, (found = matching(statement<Row>(name, matchSql(table, names)), names.length)));
  return found;
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

/** Of each match only as many rows are read as are asked for, the oldest first, whatever else matches. */
function matchSql(table: RecordTable<unknown>, names: readonly string[]): string {
  const given = names.map((_, i) => `$${i + 3}::text[]`).join(', ');
  const values = names.map((_, i) => `value${i}`);
  const { condition, order } = lookUp(
    table,
    names,
    values.map((value) => `given.${value}`),
  );
  return `SELECT given.n::integer, found.* FROM unnest($2::uuid[], ${given}) WITH ORDINALITY AS given (org_id, ${values.join(', ')}, n)
    CROSS JOIN LATERAL (
      SELECT ${selected(table)} FROM ${table.name} r WHERE r.org_id = given.org_id AND ${condition} ORDER BY ${order} LIMIT $1
    ) found ORDER BY given.n, found.id`;
}

/**
 * A text is looked up by the range of one hash, in the order of its index. By an equal hash the planner knows that this is
 * the order of ids too, and may read all records of the organization by their ids instead.
 */
function lookUp({ matches }: RecordTable<unknown>, names: readonly string[], filters: readonly string[]) {
  const compared = names.map((name) => matches[name]!);
  const isOne = compared.some((each) => typeof each === 'string');
  const ranged = isOne ? undefined : (compared[0] as IndexedText);
  const conditions = compared.map((each, i) =>
    (each === ranged ? rangeOf(ranged) : textOf(each)).replaceAll('$filter', filters[i]!),
  );
  return { condition: conditions.join(' AND '), order: ranged ? `${ranged.hash}, r.id` : 'r.id' };
}

const textOf = (compared: IndexedText | string) => (typeof compared === 'string' ? compared : conditionOf(compared));

const counts = new Map<string, Statement<{ count: number }>>();

async function countMatches(db: Db, orgId: string, table: RecordTable<unknown>, match: Match): Promise<number> {
  const name = [table.name, 'count_matches', ...namesOf(match)].join('.');
  let found = counts.get(name);
  if (!found) counts.set(name, (found = statement(name, countSql(table, namesOf(match)))));
  const [row] = await db.query(found, [orgId, ...valuesOf(match)]);
  return row!.count;
}

function countSql(table: RecordTable<unknown>, names: readonly string[]): string {
  const filters = names.map((_, i) => `$${i + 2}::text`);
  const { condition, order } = lookUp(table, names, filters);
  return `SELECT count(*)::integer AS count FROM (
    SELECT FROM ${table.name} r WHERE r.org_id = $1 AND ${condition} ORDER BY ${order} LIMIT ${countMax}) counted`;
}
