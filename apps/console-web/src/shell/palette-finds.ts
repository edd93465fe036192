import type { UseQueryResult } from '@tanstack/react-query';
import { asFailure } from '../api/failure.ts';
import { useCall } from '../api/queries.ts';
import { shortKey } from '../keys/key-state.ts';
import type { Membership } from './org.ts';
import type { FoundRecord } from '../api/types.ts';
import { useDebounced } from '../ui/use-debounced.ts';

export interface Find {
  name: string;
  kind: string;
  to: string;
  search?: { id: string } | { record: string };
}

export interface Finds {
  found: Find[];
  /** True if the text is an id, so that names are not searched. */
  isId: boolean;
  isLooking: boolean;
  /** The reason why results may be missing. */
  fault: string | undefined;
}

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Finds objects by name. If the text is an id, requests the object of each kind with this id. */
export function useFinds(current: Membership | undefined, text: string): Finds {
  const typed = text.trim();
  const isId = current !== undefined && uuid.test(typed);
  const ofId = useOfId(current, isId ? typed.toLowerCase() : undefined);
  const named = useNamed(current, !isId && typed !== '');
  return isId ? { ...ofId, isId } : { ...named, isId };
}

function useOfId(current: Membership | undefined, id: string | undefined): Omit<Finds, 'isId'> {
  const org = current?.organization.id ?? '';
  const [input, option] = [{ params: { id: id ?? '' } }, { isEnabled: id !== undefined }];
  const delivery = useCall('getDelivery', input, option);
  const run = useCall('getRun', input, option);
  const trigger = useCall('getTrigger', input, option);
  const workflow = useCall('getWorkflow', input, option);
  const trashed = useCall('listTrash', { query: { record_id: id } }, option);
  const isAdmin = current?.permissions.includes('manage') ?? false;
  const keys = useCall('listKeys', {}, { isEnabled: id !== undefined && isAdmin });
  if (id === undefined) return { found: [], isLooking: false, fault: undefined };
  const key = keys.data?.data.find((one) => one.id === id);
  const [deleted] = trashed.data?.data ?? [];
  const found: (Find | undefined)[] = [
    delivery.data && {
      name: `To ${delivery.data.data.trigger}`,
      kind: 'delivery',
      to: `/o/${org}/deliveries`,
      search: { id },
    },
    run.data && {
      name: `${run.data.data.workflow} v${run.data.data.version}, ${run.data.data.status}`,
      kind: 'run',
      to: `/o/${org}/runs/${id}`,
    },
    trigger.data && { name: trigger.data.data.name, kind: 'trigger', to: `/o/${org}/triggers/${id}` },
    workflow.data && { name: workflow.data.data.name, kind: 'workflow', to: `/o/${org}/workflows/${id}` },
    deleted && {
      name: deleted.name,
      kind: `${deleted.resource} in the trash`,
      to: `/o/${org}/trash`,
      search: { record: id },
    },
    key && { name: `${key.name}, ${shortKey(key)}`, kind: 'API key', to: `/o/${org}/settings/keys`, search: { id } },
  ];
  return {
    found: found.filter((find) => find !== undefined),
    ...stateOf([delivery, run, trigger, workflow, trashed, keys]),
  };
}

/**
 * Returns all triggers and workflows, which the palette filters by name. Reads them in two calls, because there are
 * few.
 */
function useNamed(current: Membership | undefined, isWanted: boolean): Omit<Finds, 'isId'> {
  const org = current?.organization.id ?? '';
  const option = { isEnabled: isWanted && current !== undefined };
  const triggers = useCall('listTriggers', {}, option);
  const workflows = useCall('listWorkflows', {}, option);
  const found = [
    ...(triggers.data?.data ?? []).map(({ id, name }) => ({ name, kind: 'trigger', to: `/o/${org}/triggers/${id}` })),
    ...(workflows.data?.data ?? []).map(({ id, name }) => ({
      name,
      kind: 'workflow',
      to: `/o/${org}/workflows/${id}`,
    })),
  ];
  return { found, ...stateOf([triggers, workflows]) };
}

/** Returns the state of several queries. A 404 is not an error, because the id may belong to another kind of object. */
function stateOf(queries: readonly UseQueryResult<unknown>[]) {
  const faults = queries.flatMap(({ error }) => (error && asFailure(error).status !== 404 ? [asFailure(error)] : []));
  return { isLooking: queries.some(({ isLoading }) => isLoading), fault: faults[0]?.message };
}

const charactersMin = 2;
const charactersMax = 255;

/** Finds records that have the text as the complete value of a field, once typing pauses. */
export function useFoundRecords(current: Membership | undefined, text: string) {
  const value = text.trim();
  const settled = useDebounced(value);
  const isEnabled = current !== undefined && settled.length >= charactersMin && settled.length <= charactersMax;
  const { data, isLoading } = useCall('findRecords', { query: { value: settled } }, { isEnabled });
  const isOfNow = isEnabled && settled === value;
  const found: readonly FoundRecord[] = isOfNow ? (data?.data ?? []) : [];
  return { found, isLooking: isLoading || settled !== value };
}
