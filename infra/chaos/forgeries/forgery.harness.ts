import type { Evidence } from '../evidence/evidence.ts';

/** A change to the evidence that must make a check fail. */
export type Forgery = [claim: string, forge: (evidence: Evidence) => Partial<Evidence>];

/** Returns all items, with the first matching one replaced. */
export function changed<Item>(
  items: readonly Item[],
  isMeant: (item: Item) => boolean,
  change: (item: Item) => Partial<Item>,
) {
  const at = items.findIndex(isMeant);
  return items.with(at, { ...items[at]!, ...change(items[at]!) });
}

/** Returns the post with `status` as the response to every attempt. If `status` is undefined, the post is unchanged. */
export function withStatus<One extends Evidence['posts' | 'apiWrites'][number]>(
  post: One,
  status: number | undefined,
): One {
  if (status === undefined) return post;
  return { ...post, attempts: post.attempts.map((attempt) => ({ ...attempt, status, retryAfter: undefined })) };
}
