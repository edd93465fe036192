import { useCall } from '../api/queries.ts';
import type { AnswerOf, Run } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';

export type Ways = AnswerOf<'judgeRetry'>['data'];

/** Undefined until they are judged, for a run that did not fail, and for who may not retry it. */
export function useWays({ id, status }: Pick<Run, 'id' | 'status'>): Ways | undefined {
  const { can } = useOrg();
  const isAsked = status === 'failed' && can('work');
  const judged = useCall('judgeRetry', { params: { id } }, { isEnabled: isAsked });
  return isAsked ? judged.data?.data : undefined;
}
