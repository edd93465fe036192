import { operations } from './operations.ts';
import type { ChangeKind, OperationId } from './types.ts';

/** Pattern of the operations whose results each kind of change affects. Lists of deliveries include the runs. */
const shownBy: Record<ChangeKind, RegExp> = {
  deliveries: /Deliver|^(listTriggers|getTrigger|getToday)$/,
  runs: /Run|Deliver|Problem|^getToday$/,
  events: /^(?!.*(Run|Deliver))/,
};

export const changeKinds = Object.keys(shownBy) as ChangeKind[];

/** True if a change of this kind may change the result of the operation. */
export function isShownBy(id: OperationId, kind: ChangeKind): boolean {
  // The result contains the person's roles, and changing a role creates an event.
  if (id === 'getMe') return kind === 'events';
  return /^(list|get)/.test(id) && operations[id][1].includes('{org}') && shownBy[kind].test(id);
}

/**
 * Returns true if the stream reports all changes of an operation's result, which is then polled less often. False for a
 * single run, because the stream reports only the newest runs, and for keys, because the use of a key is not an event.
 */
export function isReported(id: OperationId): boolean {
  return /^(list(Deliveries|Runs|Problems)|getToday)$/.test(id);
}

/** Polling intervals of an open page, in ms. */
export const pollsMs: Partial<Record<OperationId, number>> = {
  countRefusals: 3_000,
  listDeliveries: 5_000,
  listRefusals: 5_000,
  listRuns: 5_000,
  getToday: 10_000,
  listProblems: 10_000,
  getDeliveryCounts: 15_000,
  listWorkflows: 60_000,
};
