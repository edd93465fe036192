import { check, type Check, difference, minus, repeated } from './check.ts';
import type { Evidence, WriteRow } from '../evidence/evidence.ts';
import type { Expectations } from './expectations.ts';
import { contendingKinds } from '../load/contending-kinds.ts';

/** Maximum number of deadlocks. Runs lock rows in one order, unless they find the same record by different matches. */
const deadlocksMax = 2;

/** Checks the effects of runs: in their journal, and in the records. */
export function effectChecks(
  { steps, effects, writes, matches, deadlocks }: Evidence,
  { runs }: Expectations,
): Check[] {
  const found = steps.map(({ run_id: id, path, status }) => `${id} ${path} ${status}`);
  const journal = runs.flatMap(({ run, post, workflow }) =>
    workflow.steps(post.payload).map((step) => `${run.id} ${step}`),
  );
  const done = effects.map(({ source, content }) => `${source} ${content}`);
  const wanted = runs.flatMap(({ post, workflow }) => workflow.effects(post.payload));
  const successes = writes
    .filter(({ status }) => status === 'succeeded')
    .map(({ run_id: id, path }) => `${id} ${path}`);
  const twice = matches.filter(({ n }) => n > 1).map(({ match, n }) => `${match} (${n} times)`);
  const contending = runs.filter(({ post }) => contendingKinds.includes(post.kind));
  return [
    check('one journal row for each run and step, in its last state', steps, difference(found, journal)),
    check('one effect for each run and step', effects, difference(done, wanted)),
    check('no step succeeds twice', successes, repeated(successes)),
    check('a record that many runs upsert at once exists once', matches, twice),
    check(
      'runs that lock the same records in any order hardly ever deadlock',
      contending,
      deadlocks > deadlocksMax ? [`${deadlocks} deadlocks`] : [],
    ),
  ];
}

/** Checks that each calling run called the other system at least once, always with the idempotency key of its step. */
export function callChecks({ calls }: Evidence, { runs }: Expectations): Check[] {
  const calling = runs.filter(({ workflow }) => workflow.isCalling);
  const keys = new Map(calling.map(({ run, post }) => [post.nonce, `${run.id}:call`]));
  const called = calls.filter(({ nonce }) => nonce !== '');
  const silent = minus(keys.keys(), new Set(called.map(({ nonce }) => nonce)));
  const strange = called.filter(({ nonce, idempotencyKey }) => keys.get(nonce) !== idempotencyKey);
  return [
    check('each calling run makes its call, always with the key of its run and step', called, [
      ...silent,
      ...strange.map((call) => JSON.stringify(call)),
    ]),
  ];
}

export function fenceChecks(evidence: Evidence): Check[] {
  const { writes, thaws } = evidence;
  const foreign = writes.filter((write) => !isOfHolder(write, evidence));
  const unaware = thaws.filter(({ fenced }) => fenced === 0);
  return [
    check(
      'only the worker that holds a run writes its journal',
      writes,
      foreign.map((write) => JSON.stringify(write)),
    ),
    check(
      'a thawed worker notices that its runs are gone',
      thaws,
      unaware.map(({ overtaken }) => `${overtaken} runs were taken from it`),
    ),
  ];
}

/**
 * Returns true if the connection of a write belonged to the worker that held the run. A worker's name in the database
 * ends with its process id and a few random digits.
 */
function isOfHolder({ slot, holder }: WriteRow, { pids }: Evidence): boolean {
  return pids.get(slot)?.has(Number(holder.split('-').at(-2))) === true;
}
