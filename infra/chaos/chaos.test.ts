import { beforeAll, expect, test, vi } from 'vitest';
import { type ChaosResult, runChaos } from './chaos.ts';
import { holds } from './checks/check.ts';
import { checkAll } from './checks/checks.ts';
import type { Evidence } from './evidence/evidence.ts';
import { faultsOf } from './faults/faults.ts';
import { figuresOf } from './evidence/figures.ts';
import { isAcked } from './load/load.ts';
import { reportOf } from './evidence/report.ts';

// A bound, not an expectation: a machine without nats-server fetches it first.
vi.setConfig({ hookTimeout: 240_000 });
const giveUpAfterMs = 220_000;

let result: ChaosResult;
/** The progress, which is shown only when a check fails. */
const said: string[] = [];

beforeAll(async () => {
  const stop = new AbortController();
  const say = (line: string) => void said.push(line);
  const speed = { leaseMs: 1_500, calmMs: 300, warmUpMs: 2_000, durationMs: 0, isHurried: true, postsPerSecond: 40 };
  const bed = { seed: Date.now() % 1_000_000, natsNodes: 1, say, signal: stop.signal };
  const timer = setTimeout(() => stop.abort(), giveUpAfterMs);
  result = await runChaos({ ...bed, ...speed });
  clearTimeout(timer);
});

test('every check holds while processes are killed and connections are cut', () => {
  const { evidence, checks } = result;
  const report = [...said, reportOf(figuresOf(evidence), checks)].join('\n');
  expect(
    checks.filter((check) => !holds(check)).map(({ claim }) => claim),
    report,
  ).toEqual([]);
});

test('every fault was injected', () => {
  const names = faultsOf({ nats: { nodes: [{}] } }).map(({ name }) => name);
  expect(new Set(result.evidence.timeline.faults.map(({ name }) => name))).toEqual(new Set(names));
});

/** For each check, a change to the evidence that must make it fail. */
const forgeries: [claim: string, forge: (evidence: Evidence) => Partial<Evidence>][] = [
  [
    'what was acknowledged is stored',
    ({ posts, deliveries }) => {
      const { nonce } = posts.find(isAcked)!;
      return { deliveries: deliveries.filter((delivery) => delivery.nonce !== nonce) };
    },
  ],
  ['what is stored was sent', ({ posts }) => ({ posts: posts.filter((post) => post !== posts.find(isAcked)) })],
  ['what was sent is stored at most once', ({ deliveries }) => ({ deliveries: [...deliveries, deliveries[0]!] })],
  [
    'repeats with one key make one delivery',
    ({ posts, deliveries }) => {
      const { nonce } = posts.find((post) => post.isKeyed && isAcked(post))!;
      return { deliveries: [...deliveries, deliveries.find((delivery) => delivery.nonce === nonce)!] };
    },
  ],
  [
    'what was answered with an error is not stored',
    ({ posts }) => ({ posts: posts.map((post) => withStatus(post, isAcked(post) ? 503 : undefined)) }),
  ],
  [
    'every answer is the one that its post deserves',
    ({ posts }) => ({ posts: posts.map((post) => withStatus(post, 500)) }),
  ],
  ['one run for each delivery and assignment', ({ runs }) => ({ runs: runs.slice(1) })],
  ['every run ends as its workflow says', ({ runs }) => ({ runs: runs.map((run) => ({ ...run, status: 'running' })) })],
  ['all ends within 60 s after the last fault', () => ({ endedAfterMs: 60_001 })],
  ['one journal row for each run and step, in its last state', ({ steps }) => ({ steps: steps.slice(1) })],
  ['one effect for each run and step', ({ effects }) => ({ effects: [...effects, effects[0]!] })],
  ['no step succeeds twice', ({ writes }) => ({ writes: [...writes, ...writes] })],
  ['records that many runs upsert at once are there once', () => ({ matches: [{ match: 'a@b.example', n: 2 }] })],
  ['runs that lock the same records in any order hardly ever block each other', () => ({ deadlocks: 3 })],
  [
    'each run that calls others did, always with the key of its run and step',
    ({ calls }) => ({ calls: calls.map((call) => ({ ...call, idempotencyKey: 'another' })) }),
  ],
  [
    'only the worker that has a run writes of it',
    ({ writes }) => ({ writes: writes.map((write) => ({ ...write, holder: 'vm-1-abc' })) }),
  ],
  ['a thawed worker notices that its runs are gone', () => ({ thaws: [{ overtaken: 1, fenced: 0 }] })],
  [
    'timers fire once and not early',
    ({ steps }) => ({ steps: steps.map((step) => ({ ...step, woke_at: step.started_at })) }),
  ],
  [
    'nothing is accepted while PostgreSQL is away',
    ({ posts }) => ({ posts: posts.map((post) => withStatus(post, 202)) }),
  ],
  ['no process ends by itself', () => ({ crashes: ['worker-1 ended (1)'] })],
  ['every 503 says when to come back', ({ posts }) => ({ posts: posts.map((post) => withStatus(post, 503)) })],
  [
    'as much is accepted while NATS is away',
    ({ posts, timeline }) => ({
      posts: posts.filter(
        ({ attempts }) =>
          !attempts.some(({ endedAt }) => timeline.natsAway.some(({ from, to }) => from < endedAt && endedAt < to)),
      ),
    }),
  ],
];

function withStatus<One extends Evidence['posts'][number]>(post: One, status: number | undefined): One {
  if (status === undefined) return post;
  return { ...post, attempts: post.attempts.map((attempt) => ({ ...attempt, status, retryAfter: undefined })) };
}

test.each(forgeries)('a check fails on forged evidence: %s', (claim, forge) => {
  const forged = checkAll({ ...result.evidence, ...forge(result.evidence) });
  expect(forged.filter((check) => !holds(check)).map((check) => check.claim)).toContain(claim);
});

test('every check is tested by a forgery', () => {
  expect(forgeries.map(([claim]) => claim).toSorted()).toEqual(result.checks.map(({ claim }) => claim).toSorted());
});
