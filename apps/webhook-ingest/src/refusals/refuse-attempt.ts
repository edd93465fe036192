import type { IncomingMessage } from 'node:http';
import type { refuse as Refuse } from '../refusal.ts';
import type { Attempt } from './attempt.ts';
import type { RefusalLog } from './refusal-log.ts';

interface RefusingContext<Post> {
  refuse: typeof Refuse;
  refusals: Pick<RefusalLog, 'add'>;
  ipOf: (request: Post) => string;
}

/** Answers an attempt with its refusal, and keeps the refusal if the post named a trigger. */
export function refuseAttempt<Post extends IncomingMessage>(
  attempt: Attempt<Post>,
  error: unknown,
  { refuse, refusals, ipOf }: RefusingContext<Post>,
): void {
  const refused = attempt.refusedBy(error, ipOf);
  if (refused) refusals.add(refused);
  refuse(attempt.exchange, error);
}
