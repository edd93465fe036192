import { listWith } from '@relata/db';
import { type ListIndex, listIndexes } from './list-index.ts';

/** `ready` indexes serve lists. An `invalid` one does not: its build was interrupted, or somebody else made it. */
export type IndexState = 'ready' | 'building' | 'invalid' | 'missing';

/** A type rather than an interface, so that it can be printed like any record. */
export type IndexStatus = {
  name: string;
  state: IndexState;
  /** Bytes on disk. */
  size: number;
  /** True if `relata migrate` builds it. */
  isDefault: boolean;
};

interface IndexRow {
  index: string;
  definition: string;
  is_valid: boolean;
  is_locked: boolean;
  size: number;
}

/**
 * A build locks its table against another build, also after its client has ended. VACUUM takes the same lock, so an
 * invalid index may pass for one that is built.
 */
const readIndexes = listWith<IndexRow, [indexes: readonly string[]]>(
  'indexes.read',
  `SELECT c.relname AS index, pg_get_indexdef(c.oid) AS definition, indisvalid AND indisready AS is_valid,
     EXISTS (SELECT FROM pg_locks l WHERE l.locktype = 'relation' AND l.relation = indrelid AND l.granted
       AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND l.mode = 'ShareUpdateExclusiveLock') AS is_locked,
     pg_relation_size(c.oid) AS size
   FROM pg_class c JOIN pg_index ON indexrelid = c.oid
   WHERE relnamespace = current_schema()::regnamespace AND relname = ANY ($1)`,
);

/** Returns the states of all indexes of lists, in their order. */
export async function readIndexStates(db: Parameters<typeof readIndexes>[0]): Promise<IndexStatus[]> {
  const rows = await readIndexes(
    db,
    listIndexes.map(({ index }) => index),
  );
  return listIndexes.map((each) => {
    const row = rows.find(({ index }) => index === each.index);
    return { name: each.name, state: stateOf(each, row), size: row?.size ?? 0, isDefault: each.isDefault };
  });
}

function stateOf({ sql, valuesOf }: ListIndex, row: IndexRow | undefined): IndexState {
  if (!row) return 'missing';
  const isUnique = row.definition.startsWith('CREATE UNIQUE');
  if (row.is_valid) return isSame(sql, row.definition) && isUnique === !!valuesOf ? 'ready' : 'invalid';
  return row.is_locked ? 'building' : 'invalid';
}

/**
 * Compares definitions as PostgreSQL understands them: it adds casts, parentheses, quotes and the schema. Operators may
 * change the storage parameters.
 */
const isSame = (sql: string, definition: string) => bare(sql) === bare(definition.slice(definition.indexOf('.') + 1));

const bare = (sql: string) =>
  sql
    .toLowerCase()
    .replace(/ with \([^)]*\)/, '')
    .replaceAll(/::[a-z]+(\[\])?/g, '')
    .replaceAll(/[\s"'()]/g, '');
