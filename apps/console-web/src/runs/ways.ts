import { useCall } from '../api/queries.ts';
import type { AnswerOf, Run } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';

export type Ways = AnswerOf<'judgeRetry'>['data'];

/** Undefined until they are judged, without a failed run, and for people who may not retry it. */
export function useWays(run: Pick<Run, 'id' | 'status'> | undefined): Ways | undefined {
  const { can } = useOrg();
  const isAsked = run?.status === 'failed' && can('work');
  const judged = useCall('judgeRetry', { params: { id: run?.id ?? '' } }, { isEnabled: isAsked });
  return isAsked ? judged.data?.data : undefined;
}
