/** Returns a text from an address; other values are ignored rather than refused. */
export function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A text that an address may carry without quotes, so that it is read as a number or a boolean. */
export function asSearchText(value: unknown): string | undefined {
  return asText(typeof value === 'number' || typeof value === 'boolean' ? String(value) : value);
}

/** A whole number from 1. */
export function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

/** An instant, whatever way it is written. */
export function asInstant(value: unknown): string | undefined {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}

export const deliveryOutcomes = ['started', 'failed', 'nothing', 'refused'] as const;

export type DeliveryOutcome = (typeof deliveryOutcomes)[number];

export function asOutcome(value: unknown): DeliveryOutcome | undefined {
  return deliveryOutcomes.find((outcome) => outcome === value);
}

/** States to filter runs by; `retrying` are waiting runs that try a step again. */
export const runStatuses = ['queued', 'running', 'waiting', 'retrying', 'succeeded', 'failed', 'cancelled'] as const;

export type RunStatus = (typeof runStatuses)[number];

export function asStatus(value: unknown): RunStatus | undefined {
  return runStatuses.find((status) => status === value);
}

/** Open ones unless another state is named. */
export const problemStates = ['open', 'resolved', 'ignored'] as const;

export type ProblemState = (typeof problemStates)[number];

export function asProblemState(value: unknown): ProblemState | undefined {
  return problemStates.find((state) => state === value);
}

export const bodyViews = ['tree', 'raw', 'fields', 'headers'] as const;

export type BodyView = (typeof bodyViews)[number];

export function asBodyView(value: unknown): BodyView | undefined {
  return bodyViews.find((view) => view === value);
}

/** Until now, a day of the calendar, or any times. */
export const timeRanges = ['hour', 'day', 'yesterday', 'week', 'own'] as const;

export type TimeRange = (typeof timeRanges)[number];

export function asTimeRange(value: unknown): TimeRange | undefined {
  return timeRanges.find((range) => range === value);
}

/** From when to when, as instants in UTC. */
export interface TimeSearch {
  last?: TimeRange | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/** Filters of the deliveries page as its address has them; each is optional. */
export interface DeliveriesSearch extends TimeSearch {
  trigger?: string | undefined;
  workflow?: string | undefined;
  outcome?: DeliveryOutcome | undefined;
  /** A text in what was sent. */
  text?: string | undefined;
  /** An expression on what was sent, in place of a text. */
  where?: string | undefined;
  /** The delivery shown beside the list. */
  id?: string | undefined;
  /** The view of its body. */
  show?: BodyView | undefined;
}

const triggerTabs = ['map', 'setup', 'starts', 'secrets', 'deliveries'] as const;

export type TriggerTab = (typeof triggerTabs)[number];

export function asTriggerTab(value: unknown): TriggerTab | undefined {
  return triggerTabs.find((tab) => tab === value);
}

export interface TriggerSearch {
  tab?: TriggerTab | undefined;
  /** The workflow that is mapped to. */
  workflow?: string | undefined;
  /** The delivery whose values are mapped from; the newest unless given. */
  delivery?: string | undefined;
}

export interface RunsSearch extends TimeSearch {
  status?: RunStatus | undefined;
  workflow?: string | undefined;
  trigger?: string | undefined;
  /** Step and error code of failed runs. */
  step?: string | undefined;
  code?: string | undefined;
}

export interface ProblemsSearch {
  state?: ProblemState | undefined;
}

export interface RunSearch {
  /** The step that is shown, by its path; the one that failed unless given. */
  step?: string | undefined;
}

export interface AuditSearch extends TimeSearch {
  /** Id of a record. */
  record?: string | undefined;
  /** Id of a key, a run or a user. */
  actor?: string | undefined;
  /** A kind of record. */
  type?: string | undefined;
}

export interface OutlineSearch {
  /** The newest unless given. */
  version?: number | undefined;
  /** The step that is marked, by its place: `each.contact`. */
  step?: string | undefined;
}

export interface KeysSearch {
  /** The key that is marked in the list. */
  id?: string | undefined;
}

/** Two versions of a workflow. */
export interface CompareSearch {
  a?: number | undefined;
  b?: number | undefined;
}

export interface EditSearch {
  /** The version whose text to begin with; the newest unless given. */
  version?: number | undefined;
  /** The step whose line is selected, by its place. */
  step?: string | undefined;
}
