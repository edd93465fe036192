import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { useOrg } from '../../shell/org.ts';
import { useSettled } from '../../ui/settled.ts';
import type { Assigned } from './draft.ts';

type Drafted = Assigned & { workflow_id: string };

/**
 * Returns the preview of the last deliveries. It is fetched again when the mapping or the newest delivery changes.
 * Until the new preview arrives, and if it fails, the previous one of the same workflow stays. Pass undefined as
 * `drafted` if the user may not preview, so that nothing is fetched.
 */
export function usePreview(trigger: string, drafted: Drafted | undefined, newest: string | undefined) {
  const org = useOrg();
  const body = useSettled(JSON.stringify(drafted));
  const { data, error, refetch } = useQuery({
    queryKey: ['previewAssignment', org.id, trigger, body, newest],
    queryFn: ({ signal }) =>
      call('previewAssignment', { params: { org: org.id, id: trigger }, body: JSON.parse(body!) as Drafted }, signal),
    enabled: body !== undefined,
    gcTime: 30_000,
  });
  const [last, setLast] = useState(data);
  if (data && data !== last) setLast(data);
  const before = last?.data.workflow.id === drafted?.workflow_id ? last : undefined;
  const query = { data: data ?? before, error, refetch };
  return { query, isOfNow: body === JSON.stringify(drafted) && data !== undefined };
}
