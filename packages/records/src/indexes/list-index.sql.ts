import { listWith } from '@relata/db';
import { type ListIndex, listIndexes } from './list-index.ts';

/**
 * State of an index. Lists use only `ready` indexes. An index is `invalid` if its build was interrupted or its
 * definition differs from that in `listIndexes`.
 */
export type IndexState = 'ready' | 'building' | 'invalid' | 'missing';

/** A type rather than an interface, so that it is assignable to `Record<string, unknown>` for printing. */
export type IndexStatus = {
  name: string;
  state: IndexState;
  /** Bytes on disk. */
  size: number;
  /** True if `relata migrate` builds the index. */
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
 * Reads indexes. A build holds a lock on its table, even after its client has ended. VACUUM takes the same lock, so an
 * invalid index may be reported as `building`.
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
 * Compares definitions without the casts, parentheses, quotes and schema that PostgreSQL adds. Ignores the storage
 * parameters, since operators may change them.
 */
const isSame = (sql: string, definition: string) => bare(sql) === bare(definition.slice(definition.indexOf('.') + 1));

const bare = (sql: string) =>
  sql
    .toLowerCase()
    .replace(/ with \([^)]*\)/, '')
    .replaceAll(/::[a-z]+(\[\])?/g, '')
    .replaceAll(/[\s"'()]/g, '');
