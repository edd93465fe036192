import type { ListPage } from '@relata/workflows/runs';

/** Returns a page of at most `limit` items; `found` has one more if there are more. */
export function toPage<Item>(found: readonly Item[], limit: number): { data: Item[]; has_more: boolean } {
  return { data: found.slice(0, limit), has_more: found.length > limit };
}

/** Returns a page with the position at which the next page begins. */
export function toSearchPage<Row>({ rows, next }: ListPage<Row>) {
  return { data: rows, has_more: next !== undefined, next: next ?? null };
}
