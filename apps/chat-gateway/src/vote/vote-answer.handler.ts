import type { HandlerContext } from '@relata/http';
import type { AnswerVote } from '@relata/schemas/chat';
import { LRUCache } from 'lru-cache';
import type { ChatMetrics } from '../chat/chat.metrics.ts';

/**
 * Maximum number of answers whose vote a process remembers, in about 2 MB. Visitors have fewer answers on their pages
 * at a time.
 */
const answersMax = 10_000;

/**
 * Returns the handler that counts the first vote on each answer. Only the rate limit per client restricts votes on
 * answers that do not exist.
 */
export function voteAnswerHandler({ votes }: Pick<ChatMetrics, 'votes'>) {
  const voted = new LRUCache<string, true>({ max: answersMax });
  return ({ body }: { body: AnswerVote }, { caller }: HandlerContext): Promise<{ ok: true }> => {
    const answer = `${caller.orgId} ${body.answer_id}`;
    if (!voted.has(answer)) votes.inc({ vote: body.vote });
    voted.set(answer, true);
    return Promise.resolve({ ok: true });
  };
}
