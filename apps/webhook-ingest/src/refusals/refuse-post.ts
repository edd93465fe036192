import type { IncomingMessage } from 'node:http';
import type { refuse as Refuse } from '../refusal.ts';
import type { Post } from './post.ts';
import type { RefusalLog } from './refusal-log.ts';

interface RefusingContext {
  refuse: typeof Refuse;
  refusals: Pick<RefusalLog, 'add'>;
  ipOf: (request: IncomingMessage) => string;
}

/** Sends the refusal of a post, and stores it if the post is for a known trigger. */
export function refusePost(post: Post, error: unknown, { refuse, refusals, ipOf }: RefusingContext): void {
  const refused = post.refusedBy(error, ipOf);
  if (refused) refusals.add(refused);
  refuse(post.exchange, error);
}
