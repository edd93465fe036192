import { acceptance } from './acceptance.ts';
import type { Evidence } from './evidence.ts';
import type { Span } from './timeline.ts';

export type Figure = readonly [name: string, value: string];

/** Returns the counts of a run that no check shows as its number of items. */
export function figuresOf(evidence: Evidence): Figure[] {
  const { timeline, endedAfterMs } = evidence;
  const { perSecond, perSecondWithoutNats } = acceptance(evidence);
  return [
    ...deliveryFigures(evidence),
    ...runFigures(evidence),
    ...recordFigures(evidence),
    ...counted(
      'fault',
      timeline.faults.map(({ name }) => name),
    ),
    ['deliveries accepted per second without a fault', perSecond.toFixed(1)],
    ['deliveries accepted per second without NATS', perSecondWithoutNats.toFixed(1)],
    ['longest time from the end of a fault until an older run ended', `${seconds(longestRecoveryMs(evidence))} s`],
    [
      'time from the end of the last fault until all runs ended',
      endedAfterMs === undefined ? 'never' : `${seconds(endedAfterMs)} s`,
    ],
  ];
}

function deliveryFigures({ posts }: Evidence): Figure[] {
  const attempts = posts.flatMap((post) => post.attempts);
  return [
    ['posts sent', number(attempts.length)],
    ...counted(
      'posts answered with',
      attempts.map(({ status }) => String(status ?? 'nothing')),
    ),
  ];
}

function runFigures({ runs, claims, thaws, deadlocks }: Evidence): Figure[] {
  return [
    ...counted(
      'runs',
      runs.map(({ status }) => status),
    ),
    ['deadlocks', number(deadlocks)],
    ['claims', number(claims.length)],
    [
      '  of these taken over from a worker whose lease expired',
      number(claims.filter((claim) => claim.is_takeover).length),
    ],
    ['runs taken from frozen workers', number(sum(thaws.map(({ overtaken }) => overtaken)))],
    ['executions rejected because a frozen worker had lost its lease', number(sum(thaws.map(({ fenced }) => fenced)))],
  ];
}

function recordFigures({ apiWrites, trash }: Evidence): Figure[] {
  const attempts = apiWrites.flatMap((write) => write.attempts);
  return [
    ...counted(
      'writes through the API',
      apiWrites.map(({ kind, isNamed }) => (isNamed ? `${kind} with a key` : kind)),
    ),
    ...counted(
      'writes answered with',
      attempts.map(({ status, isReplayed }) => `${status ?? 'nothing'}${isReplayed ? ', replayed' : ''}`),
    ),
    ...counted(
      'writes of the organization with deletes answered with',
      trash.sent.map(({ response: { status } }) => String(status ?? 'nothing')),
    ),
    ...counted(
      'events of the organization with deletes',
      trash.feed.events.map(({ type }) => type),
    ),
  ];
}

/**
 * Returns the longest recovery: the time from the end of a fault to the end of a run that was open during the whole
 * fault.
 */
function longestRecoveryMs({ runs, timeline }: Evidence): number {
  const times = runs.map(({ created_at: created, finished_at: finished }) => [
    Date.parse(created),
    Date.parse(finished ?? ''),
  ]);
  const after = ({ from, to }: Span) =>
    times.flatMap(([created, finished]) => (created! < from && finished! > to ? [finished! - to] : []));
  return timeline.faults.flatMap(after).reduce((most, ms) => Math.max(most, ms), 0);
}

function counted(what: string, items: readonly string[]): Figure[] {
  const groups = Object.entries(Object.groupBy(items, (item) => item)).toSorted(([a], [b]) => a.localeCompare(b));
  return groups.map(([name, found]) => [`${what}: ${name}`, number(found!.length)]);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
