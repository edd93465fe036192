import { median } from '@relata/testbed/quantile';
import { count, markdownTable, milliseconds, ratio, yesOrNo } from '@relata/testbed/markdown';
import type { Measured } from '@relata/testbed/rounds';
import { residentMegabytesMax, tableOf } from '../table.ts';
import type { Acceptance } from './acceptance.ts';
import type { Beside } from './beside.ts';
import type { Burst } from './burst.ts';
import type { IngestPlan } from './plan.ts';
import type { Before, Runs } from './runs.ts';

const targets = {
  requests: 0.85,
  p99: 2,
  latencyP50Ms: 15,
  latencyP99Ms: 80,
  slowerWithOldRows: 0.15,
  besideBusy: 0.8,
  signed: 0.8,
};

const assignedTitles = { 0: 'no workflow', 1: 'one workflow', 3: 'three workflows' };

export function acceptanceTable(acceptances: readonly Acceptance[]): string {
  const head = ['a delivery starts', 'connections', 'floor/s', 'Relata/s', 'ratio', 'floor p99 ms', 'Relata p99 ms'];
  return markdownTable(
    [...head, 'ratio', 'target', 'holds'],
    acceptances.flatMap((one) => {
      const { natsAway } = one;
      const title = assignedTitles[one.assigned];
      const row = acceptanceRow(title, one, one.assigned !== 3);
      return natsAway ? [row, acceptanceRow(`${title}, without NATS`, { ...one, relata: natsAway }, false)] : [row];
    }),
  );
}

/** Compares senders who sign with those who send a secret, both with and without an id that identifies repeats. */
export function signedTable(acceptances: readonly Acceptance[]): string {
  const columns = ['posts', 'connections', 'with a secret/s', 'signed/s', 'ratio', 'secret p99 ms', 'signed p99 ms'];
  return markdownTable(
    [...columns, 'target', 'holds'],
    acceptances.flatMap(({ connections, secret, signed, secretWithId, signedWithId }) => {
      const row = (title: string, bySecret?: Measured, bySignature?: Measured) => {
        if (!bySecret || !bySignature) return [];
        const share = median(
          bySignature.rounds.map((one, at) => one.requestsPerSecond / bySecret.rounds[at]!.requestsPerSecond),
        );
        const rates = [count(bySecret.requestsPerSecond), count(bySignature.requestsPerSecond), ratio(share)];
        const slowest = [milliseconds(bySecret.p99Ms), milliseconds(bySignature.p99Ms)];
        const holds = yesOrNo(share >= targets.signed);
        return [[title, String(connections), ...rates, ...slowest, `≥ ${targets.signed}`, holds]];
      };
      return [...row('without an id', secret, signed), ...row('with an id', secretWithId, signedWithId)];
    }),
  );
}

function acceptanceRow(title: string, { connections, floor, relata }: Acceptance, hasTarget: boolean): string[] {
  const requests = relata.requestsPerSecond / floor.requestsPerSecond;
  const p99 = relata.p99Ms / floor.p99Ms;
  const holds = yesOrNo(requests >= targets.requests && p99 <= targets.p99);
  return [
    title,
    String(connections),
    count(floor.requestsPerSecond),
    count(relata.requestsPerSecond),
    ratio(requests),
    milliseconds(floor.p99Ms),
    milliseconds(relata.p99Ms),
    ratio(p99),
    ...(hasTarget ? [`≥ ${targets.requests}, p99 ≤ ${targets.p99}`, holds] : ['none set', '']),
  ];
}

/** Shows shares of commits by the number of deliveries in them, and the cost of a delivery. */
export function batchTable(acceptances: readonly Acceptance[]): string {
  const sizes = acceptances[0]!.batches.atMost.map(({ size }) => size);
  return markdownTable(
    [
      'a delivery starts',
      'connections',
      'deliveries per commit',
      ...sizes.map((size) => `≤ ${size}`),
      ...costHead('delivery', costUsers),
    ],
    acceptances.map(({ assigned, connections, batches: { commits, deliveries, atMost }, cost }) => [
      assignedTitles[assigned],
      String(connections),
      (deliveries / commits).toFixed(1),
      ...atMost.map((one) => `${((100 * one.commits) / commits).toFixed(0)} %`),
      ...costUsers.map((user) => count(cost[user])),
    ]),
  );
}

const costUsers = ['receiver', 'postgres', 'nats'] as const;
const userTitles = { receiver: 'receiver', worker: 'worker', postgres: 'PostgreSQL', nats: 'NATS' };

const costHead = (each: string, users: readonly (keyof typeof userTitles)[]) =>
  users.map((user) => `${userTitles[user]} µs per ${each}`);

const rowsTitle = (before: Before, { oldDeliveries }: IngestPlan) =>
  before === 'none' ? 'none' : `${count(oldDeliveries)} deliveries, runs, journals`;

export function latencyTable({ latencies }: Runs, plan: IngestPlan): string {
  const head = ['rows before', 'p50 ms from acceptance', 'p99', 'p50 ms from sending', 'p99', 'target', 'holds'];
  const { latencyP50Ms, latencyP99Ms } = targets;
  return markdownTable(
    head,
    (['none', 'old'] as const).map((before) => {
      const of = (from: 'fromAcceptance' | 'fromSending', q: 'p50' | 'p99') =>
        median(latencies[before].map((round) => round[from][q]));
      const [p50, p99] = [of('fromAcceptance', 'p50'), of('fromAcceptance', 'p99')];
      return [
        rowsTitle(before, plan),
        ...[p50, p99, of('fromSending', 'p50'), of('fromSending', 'p99')].map(milliseconds),
        `p50 < ${latencyP50Ms}, p99 < ${latencyP99Ms}`,
        yesOrNo(p50 < latencyP50Ms && p99 < latencyP99Ms),
      ];
    }),
  );
}

export function burstTable({ bursts, first }: Runs, plan: IngestPlan): string {
  const head = ['rows before', 'accepted in s', 'all effects after s', 'runs/s', 'ratio', 'target', 'holds'];
  const users = ['receiver', 'worker', 'postgres', 'nats'] as const;
  const of = (rounds: readonly Burst[], field: 'acceptedSeconds' | 'doneSeconds' | 'runsPerSecond') =>
    median(rounds.map((round) => round[field]));
  const least = of(bursts.none, 'doneSeconds');
  const row = (title: string, rounds: readonly Burst[], compared: readonly string[]) => [
    title,
    of(rounds, 'acceptedSeconds').toFixed(2),
    of(rounds, 'doneSeconds').toFixed(2),
    count(of(rounds, 'runsPerSecond')),
    ...compared,
    ...users.map((user) => count(median(rounds.map(({ cpu, posts }) => (cpu[user] * 1e6) / posts)))),
  ];
  const share = of(bursts.old, 'doneSeconds') / least;
  const most = 1 + targets.slowerWithOldRows;
  return markdownTable(
    [...head, ...costHead('run', users)],
    [
      row(rowsTitle('none', plan), bursts.none, ['', '', '']),
      row(rowsTitle('old', plan), bursts.old, [ratio(share), `≤ ${most}`, yesOrNo(share <= most)]),
      row('none, a fresh database and processes', [first], [ratio(first.doneSeconds / least), 'none set', '']),
    ],
  );
}

/** Compares acceptance while the worker works off a backlog with acceptance while the worker is stopped. */
export function besideTable({ besides }: Runs): string {
  const of = (field: keyof Beside) => median(besides.map((round) => round[field]));
  const share = (compared: 'insertOnlyPerSecond' | 'idlePerSecond') =>
    median(besides.map((round) => round.busyPerSecond / round[compared]));
  const ofFloor = share('insertOnlyPerSecond');
  return tableOf(
    [besides],
    ['floor: accepted/s, INSERT only', () => count(of('insertOnlyPerSecond'))],
    ['beside an idle worker', () => count(of('idlePerSecond'))],
    ['beside a busy worker', () => count(of('busyPerSecond'))],
    ['unfinished runs', () => count(of('leftBusy'))],
    ['busy ÷ idle', () => ratio(share('idlePerSecond'))],
    ['busy ÷ floor', () => ratio(ofFloor)],
    ['target', () => `≥ ${targets.besideBusy}`],
    ['holds', () => yesOrNo(ofFloor >= targets.besideBusy)],
  );
}

export function memoryTable(bytes: Record<string, number | undefined>): string {
  return markdownTable(
    ['resident memory', 'at most MB', 'target', 'holds'],
    Object.entries(bytes).map(([title, max]) => {
      const target = `< ${residentMegabytesMax}`;
      if (max === undefined) return [title, 'known on Linux only', target, ''];
      return [title, count(max / 1e6), target, yesOrNo(max / 1e6 < residentMegabytesMax)];
    }),
  );
}
