import { claimOf } from '../checks/signed-checks.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { isAcked } from '../load/load.ts';
import { type Forgery, withStatus } from './forgery.harness.ts';

/** Forgeries of posts to the receivers, and of the runs that they start. */
export const postForgeries: readonly Forgery[] = [
  [
    'an acknowledged delivery is stored',
    ({ posts, deliveries }) => {
      const { nonce } = posts.find(isAcked)!;
      return { deliveries: deliveries.filter((delivery) => delivery.nonce !== nonce) };
    },
  ],
  ['every stored delivery was sent', ({ posts }) => ({ posts: posts.filter((post) => post !== posts.find(isAcked)) })],
  ['a sent delivery is stored at most once', ({ deliveries }) => ({ deliveries: [...deliveries, deliveries[0]!] })],
  [
    'repeats with one key make one delivery',
    ({ posts, deliveries }) => {
      const { nonce } = posts.find((post) => post.isKeyed && isAcked(post))!;
      return { deliveries: [...deliveries, deliveries.find((delivery) => delivery.nonce === nonce)!] };
    },
  ],
  [claimOf('signed-github'), ({ runs }) => ({ runs: [...runs, runOf('signed-github', runs)] })],
  [claimOf('signed-stripe'), ({ runs }) => ({ runs: runs.filter((run) => run !== runOf('signed-stripe', runs)) })],
  [
    'a delivery that was answered with an error is not stored',
    ({ posts }) => ({ posts: posts.map((post) => withStatus(post, isAcked(post) ? 503 : undefined)) }),
  ],
  ['every post gets the expected answer', ({ posts }) => ({ posts: posts.map((post) => withStatus(post, 500)) })],
  ['one run for each delivery and assignment', ({ runs }) => ({ runs: runs.slice(1) })],
  ['every run ends as its workflow says', ({ runs }) => ({ runs: runs.map((run) => ({ ...run, status: 'running' })) })],
  ['all runs end within 60 s after the last fault', () => ({ endedAfterMs: 60_001 })],
  ['one journal row for each run and step, in its last state', ({ steps }) => ({ steps: steps.slice(1) })],
  ['one effect for each run and step', ({ effects }) => ({ effects: [...effects, effects[0]!] })],
  ['no step succeeds twice', ({ writes }) => ({ writes: [...writes, ...writes] })],
  ['a record that many runs upsert at once exists once', () => ({ matches: [{ match: 'a@b.example', n: 2 }] })],
  ['runs that lock the same records in any order hardly ever deadlock', () => ({ deadlocks: 3 })],
  [
    'each calling run makes its call, always with the key of its run and step',
    ({ calls }) => ({ calls: calls.map((call) => ({ ...call, idempotencyKey: 'another' })) }),
  ],
  [
    'only the worker that holds a run writes its journal',
    ({ writes }) => ({ writes: writes.map((write) => ({ ...write, holder: 'vm-1-abc' })) }),
  ],
  ['a thawed worker notices that its runs are gone', () => ({ thaws: [{ overtaken: 1, fenced: 0 }] })],
  [
    'timers fire once and not early',
    ({ steps }) => ({ steps: steps.map((step) => ({ ...step, woke_at: step.started_at })) }),
  ],
  [
    'nothing is accepted while PostgreSQL is unavailable',
    ({ posts }) => ({ posts: posts.map((post) => withStatus(post, 202)) }),
  ],
  ['no process ends by itself', () => ({ crashes: ['worker-1 ended (1)'] })],
  ['every 503 has a Retry-After header', ({ posts }) => ({ posts: posts.map((post) => withStatus(post, 503)) })],
  [
    'the receivers accept at least half as much without NATS',
    ({ posts, timeline }) => ({
      posts: posts.filter(
        ({ attempts }) =>
          !attempts.some(({ endedAt }) => timeline.natsAway.some(({ from, to }) => from < endedAt && endedAt < to)),
      ),
    }),
  ],
];

const runOf = (name: string, runs: Evidence['runs']) => runs.find(({ workflow }) => workflow === name)!;
