import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useOrg } from '../../shell/org.ts';
import { useDebounced } from '../../ui/use-debounced.ts';
import type { Assigned } from './draft.ts';

type Drafted = Assigned & { workflow_id: string };

/**
 * Returns the preview of the last deliveries. It is fetched again when the mapping changes, and for a newer delivery
 * once the running request has ended. The previous preview of the same workflow stays until the new one arrives. Pass
 * undefined as `drafted` if the user may not preview, so that nothing is fetched.
 */
export function usePreview(trigger: string, drafted: Drafted | undefined, newest: string | undefined) {
  const { id: org, call } = useOrg();
  const body = useDebounced(JSON.stringify(drafted));
  const [checked, setChecked] = useState(newest);
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['previewAssignment', org, trigger, body, checked],
    queryFn: ({ signal }) =>
      call('previewAssignment', { params: { id: trigger }, body: JSON.parse(body!) as Drafted }, signal),
    enabled: body !== undefined,
    gcTime: 30_000,
  });
  // A new delivery does not abort the running request. Frequent deliveries would otherwise abort every request.
  if (checked !== newest && !isFetching) setChecked(newest);
  const [last, setLast] = useState({ data, body });
  if (data && data !== last.data) setLast({ data, body });
  const before = last.data?.data.workflow.id === drafted?.workflow_id ? last.data : undefined;
  const query = { data: data ?? before, error, refetch };
  return { query, isOfNow: body === JSON.stringify(drafted) && last.data !== undefined && last.body === body };
}
