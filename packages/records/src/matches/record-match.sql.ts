import { type Db, type SharedStatement, type Statement, statement, type UnitDb } from '@relata/db';
import { AppError } from '@relata/schemas/errors';
import { type Match, readMatch } from './record-match.ts';
import type { Row } from '../table/record-column.ts';
import { hashRange, type IndexedText, textCondition, textRange } from '../table/record-condition.ts';
import { type RecordTable, selected, toRecord } from '../table/record-table.ts';

/** Maximum number of candidates in an error. */
export const namedMax = 10;
/** Number up to which matches are counted. */
export const countMax = 100;

/** Number up to which the records of each text are counted, to find the rarest text. */
const sizeMax = 1_000;

/**
 * Returns at most `limit` records that match all of `match`, in ascending order of id. Throws `validation_error` if the
 * match is empty or contains an empty value.
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
export async function findOne<Rec>(
  db: UnitDb,
  orgId: string,
  table: RecordTable<Rec>,
  match: Match,
): Promise<Rec | null> {
  return chooseOne(db, orgId, table, match, await findCandidates(db, orgId, table, match));
}

/** Rule for choosing one of several matching records. */
export type Choice = 'oldest' | 'newest';

/**
 * Returns the chosen candidate, or null if there is none. Throws `ambiguous_match` if there are several and no choice.
 */
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

/**
 * Compares two records by their time of creation. The order of ids is not exact, since the clocks of processes differ
 * slightly.
 */
function byAge(a: Row, b: Row): number {
  const age = (row: Row) => `${row['created_at'] as string} ${row['id'] as string}`;
  return age(a) < age(b) ? -1 : 1;
}

/** Candidates for a match: at most ten rows in ascending order of id, and the number of matches, counted up to 100. */
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
  const [names, call] = [namesOf(match), { orgId, values: valuesOf(match) }];
  const rows = await db.call(matchingBy(table, names), { ...call, limit: namedMax + 1 });
  if (rows.length <= namedMax) return { rows, count: rows.length };
  const count = await db.call(countingBy(table, names), { ...call, limit: countMax });
  return { rows: rows.slice(0, namedMax), count };
}

/** Returns the structured data of an error about candidates. */
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

const namesOf = (match: Match) => match.map(([name]) => name);
const valuesOf = (match: Match) => match.map(([, value]) => value);

type Order = 'ASC' | 'DESC';

const matchings = new Map<string, Matching>();

/**
 * Returns the statement for a set of names. There are few such sets, because a table has at most four fields to match by.
 */
function matchingBy(table: RecordTable<unknown>, names: readonly string[], order: Order = 'ASC'): Matching {
  const name = [table.name, order === 'ASC' ? 'match' : 'match_newest', ...names].join('.');
  return matchings.getOrInsertComputed(name, () => {
    const prepared = statement<Row>(name, matchSql(table, names, order));
    return {
      async run(db, calls) {
        const found: Row[][] = calls.map(() => []);
        for (const row of await rowsOf(db, prepared, names, calls)) found[(row['n'] as number) - 1]!.push(row);
        return found.map((each, i) => each.slice(0, calls[i]!.limit));
      },
    };
  });
}

const countings = new Map<string, SharedStatement<MatchCall, number>>();

/** Returns the statement that counts the matches of a set of names, up to the limit. */
function countingBy(table: RecordTable<unknown>, names: readonly string[]): SharedStatement<MatchCall, number> {
  const name = [table.name, 'count_matches', ...names].join('.');
  return countings.getOrInsertComputed(name, () => {
    const prepared = statement<{ n: number; count: number }>(name, countSql(table, names));
    return {
      async run(db, calls) {
        const counts = calls.map(() => 0);
        for (const { n, count } of await rowsOf(db, prepared, names, calls)) counts[n - 1] = count;
        return counts;
      },
    };
  });
}

function rowsOf<Found>(
  db: Db,
  prepared: Statement<Found>,
  names: readonly string[],
  calls: readonly MatchCall[],
): Promise<Found[]> {
  const columns = names.map((_, i) => calls.map(({ values }) => values[i]));
  const limit = Math.max(...calls.map((call) => call.limit));
  return db.query(prepared, [limit, calls.map(({ orgId }) => orgId), ...columns]);
}

function matchSql(table: RecordTable<unknown>, names: readonly string[], by: Order): string {
  return `SELECT given.n::integer, found.* FROM ${lookUps(table, names, selected(table), by)}
    ORDER BY given.n, found.id ${by}`;
}

function countSql(table: RecordTable<unknown>, names: readonly string[]): string {
  return `SELECT given.n::integer, count(*)::integer AS count FROM ${lookUps(table, names, 'r.id')} GROUP BY given.n`;
}

/**
 * Returns SQL that reads at most the requested number of rows for each match, in the given order. With several texts,
 * it reads the records of the rarest text, since it may have to compare all of them. If every text has at least
 * `sizeMax` records, it reads those of the first text.
 */
function lookUps(table: RecordTable<unknown>, names: readonly string[], columns: string, by: Order = 'ASC'): string {
  const compared = names.map((name) => table.matches[name]!);
  const isOne = compared.some((each) => typeof each === 'string');
  const texts = isOne ? [] : (compared as IndexedText[]);
  const walk = (ranged?: IndexedText, isChosen = 'true') => {
    const conditions = compared.map((each, i) => filtered(each === ranged ? textRange(ranged) : textOf(each), i));
    const order = ranged ? `${ranged.hash} ${by}, r.id ${by}` : `r.id ${by}`;
    return `(SELECT ${columns} FROM ${table.name} r
      WHERE r.org_id = given.org_id AND ${isChosen} AND ${conditions.join(' AND ')} ORDER BY ${order} LIMIT $1)`;
  };
  const sizes = texts.map((text, i) => {
    const rows = `SELECT FROM ${table.name} r WHERE r.org_id = given.org_id AND ${filtered(hashRange(text), i)}`;
    return `(${i}, (SELECT count(*) FROM (${rows} ORDER BY ${text.hash}, r.id LIMIT ${sizeMax}) counted))`;
  });
  const values = names.map((_, i) => `value${i}`).join(', ');
  const given = names.map((_, i) => `$${i + 3}::text[]`).join(', ');
  const from = `unnest($2::uuid[], ${given}) WITH ORDINALITY AS given (org_id, ${values}, n)`;
  if (texts.length < 2) return `${from} CROSS JOIN LATERAL ${walk(texts[0])} found`;
  return `${from} CROSS JOIN LATERAL
    (SELECT i FROM (VALUES ${sizes.join(', ')}) sizes (i, size) ORDER BY size, i LIMIT 1) narrowest CROSS JOIN LATERAL
    (${texts.map((text, i) => walk(text, `narrowest.i = ${i}`)).join(' UNION ALL ')}) found`;
}

const textOf = (compared: IndexedText | string) => (typeof compared === 'string' ? compared : textCondition(compared));

const filtered = (condition: string, i: number) => condition.replaceAll('$filter', `given.value${i}`);
