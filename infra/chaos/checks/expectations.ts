import type { Evidence, RunRow } from '../evidence/evidence.ts';
import type { KindWorkflow } from '../load/kind.ts';
import type { Post } from '../load/load.ts';

/** A run, with the post that started it and its workflow. */
interface Expected {
  run: RunRow;
  post: Post;
  workflow: KindWorkflow;
}

export interface Expectations {
  runs: Expected[];
  /** Names of all expected runs, as `nameOf` returns them. */
  names: string[];
}

/** Returns the runs that the stored deliveries must have started. */
export function expectedOf({ posts, deliveries, runs }: Evidence): Expectations {
  const postOf = new Map(posts.map((post) => [post.nonce, post]));
  const wanted = new Map<string, Omit<Expected, 'run'>>();
  for (const { id, nonce } of deliveries) {
    const post = postOf.get(nonce ?? '');
    for (const workflow of post?.kind.workflows ?? [])
      if (workflow.ending !== 'none') wanted.set(`${id} ${workflow.definition.name}`, { post: post!, workflow });
  }
  const found = runs.flatMap((run) => {
    const one = wanted.get(nameOf(run));
    return one ? [{ ...one, run }] : [];
  });
  return { runs: found, names: [...wanted.keys()] };
}

/** Returns a unique name of a run: the id of its delivery and the name of its workflow. */
export function nameOf({ delivery_id: deliveryId, workflow }: RunRow): string {
  return `${deliveryId} ${workflow}`;
}
