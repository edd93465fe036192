import { useCall } from '../api/queries.ts';
import type { OutputOf, Run } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';

export type RetryOptions = OutputOf<'judgeRetry'>['data'];

/**
 * Returns the verdicts on retrying a run. Undefined until they are known, if the run did not fail, or if the person may
 * not retry it.
 */
export function useRetryOptions(run: Pick<Run, 'id' | 'status'> | undefined): RetryOptions | undefined {
  const { can } = useOrg();
  const isAsked = run?.status === 'failed' && can('work');
  const predicted = useCall('judgeRetry', { params: { id: run?.id ?? '' } }, { isEnabled: isAsked });
  return isAsked ? predicted.data?.data : undefined;
}
