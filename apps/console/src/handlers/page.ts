import type { ListPage } from '@relata/workflows/runs';

/** Returns a page of at most `limit` items. `found` must have `limit` + 1 items if there is a next page. */
export function toPage<Item>(found: readonly Item[], limit: number): { data: Item[]; has_more: boolean } {
  return { data: found.slice(0, limit), has_more: found.length > limit };
}

/** Returns a page with the cursor of the next page. */
export function toSearchPage<Row>({ rows, next }: ListPage<Row>) {
  return { data: rows, has_more: next !== undefined, next: next ?? null };
}
