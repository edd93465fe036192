import type { ListPage } from '@relata/workflows/runs';

/** A page of at most `limit`, of which one more was read to see whether there is more. */
export function pageOf<Item>(found: readonly Item[], limit: number): { data: Item[]; has_more: boolean } {
  return { data: found.slice(0, limit), has_more: found.length > limit };
}

/** A page that says itself where the next one begins. */
export function searchPageOf<Row>({ rows, next }: ListPage<Row>) {
  return { data: rows, has_more: next !== undefined, next: next ?? null };
}
