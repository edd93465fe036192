import type { SortKey, Values } from './list-conditions.ts';
import type { CursorPlace } from './list-cursor.ts';

interface Compared {
  /** SQL of the key, and of the id. */
  key: string;
  id: string;
  compare: '<' | '>';
  /** True if the caller reads the rows without a key separately, so that the condition need not include them. */
  isRange: boolean;
}

/**
 * Returns a condition for the rows after a cursor's record, in a list sorted by a key and the id, or by the id alone.
 */
export function afterPlaceSql(
  values: Values,
  after: CursorPlace,
  sorted: SortKey | undefined,
  { key, id, compare, isRange }: Compared,
): string {
  const place = `${values.add(after.id)}::uuid`;
  if (!sorted) return `${id} ${compare} ${place}`;
  if (after.key === null) return `${isRange ? '' : `${key} IS NULL AND `}${id} ${compare} ${place}`;
  const collation = sorted.type === 'text' ? ' COLLATE "C"' : '';
  const range = `(${key}, ${id}) ${compare} (${values.add(after.key)}::${sorted.type}${collation}, ${place})`;
  return isRange || !sorted.isNullable ? range : `(${range} OR ${key} IS NULL)`;
}
