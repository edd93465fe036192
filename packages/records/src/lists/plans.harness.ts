import { type Database, type Db, type OrganizationDb, plannedStatement, type Statement, statement } from '@relata/db';
import { sortsOf } from '@relata/schemas';
import { type DuplicatesQuery, findDuplicates } from '../duplicates/duplicates.sql.ts';
import type { RecordTable } from '../table/record-table.ts';
import { decodeCursor, encodeCursor } from './list-cursor.ts';
import type { AccessPath } from './matching.sql.ts';
import { type PageQuery, scopeOf } from './record-page.sql.ts';
import { RecordLists } from './record-lists.ts';

type Table = RecordTable<unknown>;

/** A node of a plan, as EXPLAIN describes it. */
interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
}

export interface Plan {
  statement: string;
  nodes: PlanNode[];
  /** Number of rows read from tables and indexes, if the statement was executed. */
  rowsRead: number;
}

type Explained = Record<'QUERY PLAN', [{ Plan: PlanNode }]>;

/** Plans without values, by the text of the statement. They depend only on this text while the tables do not change. */
export type GenericPlans = Map<string, Promise<Explained[]>>;

/** Fake result row of every statement: too many matches to sort, and an empty page. */
const emptyPage = { matches: 1_000_000, total: 0, n: 0, id: null };

interface PlanOptions {
  isAnalyzed?: boolean;
  accessPath?: AccessPath | undefined;
  /** Plans of earlier calls, which are used again. */
  known?: GenericPlans;
}

/**
 * Returns the plans of the statements that a list runs. With `isAnalyzed`, the statements are executed. Otherwise the
 * list continues as if there were many matches, so that the plans for few matches and for many are returned, and
 * `accessPath` is the one that the list chooses.
 */
export async function plansOf(
  database: Database,
  orgId: string,
  table: Table,
  query: PageQuery,
  { isAnalyzed = false, accessPath, known }: PlanOptions = {},
): Promise<Plan[]> {
  const plans: Plan[] = [];
  const watch = (db: OrganizationDb): Db => ({
    query: async (prepared, values) => {
      plans.push(await explain(db, prepared, values, { isAnalyzed, known }));
      return isAnalyzed ? db.query(prepared, values) : [{ ...emptyPage, accessPath } as never];
    },
  });
  const of = (org: string) => {
    const db = watch(database.of(org));
    return { ...db, inOneSlot: <Result>(work: (on: Db) => Promise<Result>) => work(db) };
  };
  const lists = new RecordLists({ of, scanOf: of } as unknown as Database, () => undefined);
  await lists.list(orgId, table, query);
  return plans;
}

async function explain(
  db: OrganizationDb,
  { name, text, isPlanned }: Statement<unknown>,
  values: readonly unknown[],
  { isAnalyzed, known = new Map() }: { isAnalyzed: boolean; known?: GenericPlans | undefined },
): Promise<Plan> {
  const options = isAnalyzed ? 'ANALYZE, TIMING off, FORMAT JSON' : 'FORMAT JSON';
  const [row] = isPlanned
    ? await db.query(plannedStatement<Explained>('', `EXPLAIN (${options}) ${text}`), values)
    : await explainGeneric(db, { text, options }, isAnalyzed ? values : known);
  const nodes = nodesOf(row!['QUERY PLAN'][0].Plan);
  return { statement: name, nodes, rowsRead: nodes.reduce((sum, node) => sum + rowsReadBy(node), 0) };
}

/** Explains a named statement, which is planned once for all values; executes it if there are values. */
function explainGeneric(
  db: OrganizationDb,
  { text, options }: { text: string; options: string },
  values: readonly unknown[] | GenericPlans,
): Promise<Explained[]> {
  if (values instanceof Map)
    return values.getOrInsertComputed(text, () =>
      db.query(statement<Explained>('', `EXPLAIN (GENERIC_PLAN, ${options}) ${text}`), []),
    );
  // EXPLAIN itself would plan for the values; a prepared statement has the plan that our connections use.
  return db.transaction(async (on) => {
    await on.query(statement('', `PREPARE explained AS ${text}`), []);
    const given = values.map(literal).join(', ');
    const rows = await on.query(statement<Explained>('', `EXPLAIN (${options}) EXECUTE explained (${given})`), []);
    await on.query(statement('', 'DEALLOCATE explained'), []);
    return rows;
  });
}

function literal(value: unknown): string {
  return Array.isArray(value) ? `ARRAY[${value.map(literal).join(', ')}]` : `'${String(value).replaceAll("'", "''")}'`;
}

/** Returns the tables that a plan reads sequentially, except for the totals, which have a few rows for each list. */
export function sequentiallyRead(nodes: readonly PlanNode[]): string[] {
  const scans = nodes.filter((node) => node['Node Type'] === 'Seq Scan').map((node) => node['Relation Name']!);
  return scans.filter((relation) => relation !== 'record_counts');
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

function rowsReadBy(node: PlanNode): number {
  if (!/^(Index|Bitmap Heap|Seq|Index Only) Scan$/.test(node['Node Type'])) return 0;
  const perLoop = (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0);
  return (perLoop + (node['Rows Removed by Index Recheck'] ?? 0)) * (node['Actual Loops'] ?? 0);
}

/** Returns a function that adds the cursor of a page in the middle of the unfiltered list to a query. */
export async function deepPages(database: Database, orgId: string, table: Table) {
  const lists = new RecordLists(database, () => undefined);
  const { total } = await lists.list(orgId, table, { limit: 1 });
  const readCursor = async (sort: string) => {
    const query = { sort, limit: 1, count: 'none' as const, offset: Math.floor(total / 2) - 1 };
    const { next_cursor } = await lists.list(orgId, table, query);
    return [sort, next_cursor!] as const;
  };
  const cursors = new Map(await Promise.all(sortsOf(table.resource.list).map(readCursor)));
  return (query: PageQuery): PageQuery => {
    const { sort = 'id' } = query;
    const place = decodeCursor(scopeOf(orgId, table, { sort, limit: 1 }), cursors.get(sort)!);
    return { ...query, cursor: encodeCursor(scopeOf(orgId, table, query), place) };
  };
}

/** Executes the search for duplicates, and returns its plan with its result. */
export async function planOfDuplicates(database: Database, orgId: string, table: Table, query: DuplicatesQuery) {
  const plans: Plan[] = [];
  const watch: Db = {
    query: async (prepared, values) => {
      plans.push(await explain(database, prepared, values, { isAnalyzed: true }));
      return database.query(prepared, values);
    },
  };
  const found = await findDuplicates(watch, orgId, table, query);
  return { ...plans[0]!, found };
}
