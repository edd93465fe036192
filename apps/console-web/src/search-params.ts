/** Parsers of the parameters of an address, by name. */
export type Parsers = Record<string, (value: unknown) => unknown>;

type Search<Named extends Parsers> = { [Name in keyof Named]?: ReturnType<Named[Name]> };

/** Returns a parser of the parameters. It ignores unknown parameters and invalid values. */
export function search<Named extends Parsers>(parsers: Named) {
  return (given: Record<string, unknown>): Search<Named> =>
    Object.fromEntries(Object.entries(parsers).map(([name, parse]) => [name, parse(given[name])])) as Search<Named>;
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns a parameter as a string. The router parses unquoted numbers and booleans, so this converts them back. */
function searchText(value: unknown): string | undefined {
  return text(typeof value === 'number' || typeof value === 'boolean' ? String(value) : value);
}

export function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

/** Returns an instant in UTC; accepts any notation that `Date.parse` reads. */
function instant(value: unknown): string | undefined {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}

export function oneOf<const Value extends string>(values: readonly Value[]) {
  return (value: unknown): Value | undefined => values.find((one) => one === value);
}

export const deliveryOutcomes = ['started', 'failed', 'nothing', 'refused'] as const;
export type DeliveryOutcome = (typeof deliveryOutcomes)[number];

/** States to filter runs by; `retrying` selects waiting runs whose step failed and will be tried again. */
export const runStatuses = ['queued', 'running', 'waiting', 'retrying', 'succeeded', 'failed', 'cancelled'] as const;

/** States to filter problems by; open ones are the default. */
export const problemStates = ['open', 'resolved', 'ignored'] as const;
export type ProblemState = (typeof problemStates)[number];

export const bodyViews = ['tree', 'raw', 'fields', 'headers'] as const;
export type BodyView = (typeof bodyViews)[number];

const triggerTabs = ['map', 'setup', 'starts', 'secrets', 'deliveries'] as const;
export type TriggerTab = (typeof triggerTabs)[number];

export const triggerSearch = {
  tab: oneOf(triggerTabs),
  workflow: text,
  /** Id of the delivery whose values are mapped; defaults to the newest. */
  delivery: text,
};
export type TriggerSearch = Search<typeof triggerSearch>;

/** Time ranges: spans until now, a calendar day, or `own` for any range. */
export const timeRanges = ['hour', 'day', 'yesterday', 'week', 'own'] as const;
export type TimeRange = (typeof timeRanges)[number];

/** A time range: a named one, or its limits as instants in UTC. */
export const times = { last: oneOf(timeRanges), from: instant, to: instant };
export type TimeSearch = Search<typeof times>;

/** Kinds of records that a delete moves to the trash. */
export const trashedKinds = ['account', 'contact', 'opportunity', 'activity'] as const;

export const trashSearch = {
  ...times,
  resource: oneOf(trashedKinds),
  /** Id of a delete; `record` is the id of a record. */
  deletion: text,
  record: text,
};
export type TrashSearch = Search<typeof trashSearch>;

export const deliveriesSearch = {
  ...times,
  trigger: text,
  workflow: text,
  outcome: oneOf(deliveryOutcomes),
  text: searchText,
  /** An expression over the delivery; overrides the text. */
  where: searchText,
  id: text,
  show: oneOf(bodyViews),
};
export type DeliveriesSearch = Search<typeof deliveriesSearch>;

export const runsSearch = {
  ...times,
  status: oneOf(runStatuses),
  workflow: text,
  trigger: text,
  /** Step at which runs failed; `code` is their error code. */
  step: text,
  code: text,
};
export type RunsSearch = Search<typeof runsSearch>;
