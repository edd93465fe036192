import { useCall } from '../api/queries.ts';
import type { AnswerOf, Run } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';

export type Ways = AnswerOf<'judgeRetry'>['data'];

/** Undefined until they are judged, for a run that did not fail, and for who may not retry it. */
export function useWays({
  id,
  status,
  finished_at: finishedAt,
}: Pick<Run, 'id' | 'status' | 'finished_at'>): Ways | undefined {
  const { can } = useOrg();
  const isAsked = status === 'failed' && can('work') && finishedAt !== undefined;
  const judged = useCall('judgeRetry', { params: { id } }, { isEnabled: isAsked });
  return isAsked ? judged.data?.data : undefined;
}
