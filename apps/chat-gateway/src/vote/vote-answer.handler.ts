import type { HandlerContext } from '@relata/http';
import type { AnswerVote } from '@relata/schemas/chat';
import { LRUCache } from 'lru-cache';
import type { ChatMetrics } from '../chat/chat.metrics.ts';

/** Answers of which a process knows that they were voted on: about 2 MB at most, and more than visitors have open. */
const answersMax = 10_000;

/** Counts a vote on an answer, the first one for each. The limit of the client bounds what a page can make up. */
export function voteAnswerHandler({ votes }: Pick<ChatMetrics, 'votes'>) {
  const voted = new LRUCache<string, true>({ max: answersMax });
  return ({ body }: { body: AnswerVote }, { caller }: HandlerContext): Promise<{ ok: true }> => {
    const answer = `${caller.orgId} ${body.answer_id}`;
    if (!voted.has(answer)) votes.inc({ vote: body.vote });
    voted.set(answer, true);
    return Promise.resolve({ ok: true });
  };
}
