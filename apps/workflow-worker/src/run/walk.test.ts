import type { EvaluationContext } from '@relata/expressions';
import type { CompiledStep, CompiledStepOf, JournalRow } from '@relata/workflows/execution';
import { expect, test } from 'vitest';
import { StepFailure, type Visit } from './visit.ts';
import { visiblePaths } from './visible-paths.ts';
import { walk } from './walk.ts';

const step = (id: string): CompiledStepOf<'record'> => ({
  id,
  use: 'account.create',
  executor: 'record',
  when: undefined,
  with: () => ({}),
  known: () => ({ value: {}, unknown: [] }),
  secrets: [],
  retry: { maxAttempts: 1, initialDelayMs: 0, maxDelayMs: 0 },
  timeoutMs: 1_000,
  onError: 'fail',
  steps: [],
});

const loop = (id: string, inner: CompiledStep[]): CompiledStep => ({
  ...step(id),
  use: 'for_each',
  executor: 'loop',
  steps: inner,
});
const steps = [step('first'), loop('each', [step('make'), step('log')]), step('last')];
const items = ['a', 'b', 'c'];

function newContext(): EvaluationContext {
  return { inputs: {}, steps: {}, payload: {}, delivery: {}, trigger: {}, workflow: {}, run: {} };
}

/** Executes a visit and records it, as a worker does. */
function visitOne({ kind, path, output, context }: Visit, journal: Map<string, JournalRow>): unknown {
  const done = kind === 'step' ? `${path} saw ${JSON.stringify([context.item, Object.keys(context.steps)])}` : output;
  const row = { path, position: 0, attempts: 1, failures: null, error: null, wake_at: null };
  if (kind === 'enter') journal.set(path, { ...row, status: 'running', input: { items }, output: null });
  else journal.set(path, { ...row, status: 'succeeded', input: null, output: done });
  return kind === 'enter' ? items : done;
}

/** Returns the journal as a worker that continues the run loads it: only with the values that the run still needs. */
function loaded(journal: Map<string, JournalRow>): Map<string, JournalRow> {
  const needed = new Set(visiblePaths(steps, journal));
  return new Map(
    [...journal].map(([path, row]) => [path, needed.has(path) ? row : { ...row, input: null, output: 'not loaded' }]),
  );
}

/** Walks to the end, with an interruption after every `length` visits. */
function walkInPieces(length: number): { seen: string[]; output: unknown } {
  const journal = new Map<string, JournalRow>();
  const seen: string[] = [];
  for (;;) {
    const walking = walk(steps, { context: newContext(), journal: loaded(journal) });
    let visited = walking.next();
    for (let count = 0; count < length && !visited.done; count++) {
      seen.push(`${visited.value.kind} ${visited.value.path}`);
      visited = walking.next(visitOne(visited.value, journal));
    }
    if (visited.done) return { seen, output: visited.value };
  }
}

test('a walk that is interrupted anywhere continues where it stopped, with the same values', () => {
  const whole = walkInPieces(1_000);
  expect(whole.seen).toEqual([
    'step first',
    'enter each',
    ...items.flatMap((_, i) => [`step each[${i}].make`, `step each[${i}].log`]),
    'leave each',
    'step last',
  ]);
  for (let length = 1; length < 10; length++) expect(walkInPieces(length)).toEqual(whole);
});

test('of finished iterations and loops, only the outputs that later steps can see are loaded', () => {
  const paths = ['first', 'each', 'each[0].make', 'each[0].log', 'each[1].make', 'each[1].log'];
  const rowAt = (path: string, status: JournalRow['status']) => ({ path, status }) as JournalRow;
  const journal = new Map(paths.map((path) => [path, rowAt(path, path === 'each' ? 'running' : 'succeeded')]));
  expect(visiblePaths(steps, journal)).toEqual(['first', 'each', 'each[0].log', 'each[1].log']);
  journal.set('each[1].log', rowAt('each[1].log', 'running'));
  expect(visiblePaths(steps, journal)).toEqual(['first', 'each', 'each[0].log', 'each[1].make']);
  journal.set('each', rowAt('each', 'succeeded'));
  expect(visiblePaths(steps, journal)).toEqual(['first', 'each']);
  journal.set('each', rowAt('each', 'failed'));
  expect(visiblePaths(steps, journal)).toEqual(['first']);
});

test('the outputs of an iteration are visible only in that iteration', () => {
  const { output } = walkInPieces(1_000);
  expect(output).toBe('last saw [null,["first","each"]]');
});

test('a step that fails for good ends the walk and the loops around it', () => {
  const walking = walk(steps, { context: newContext(), journal: new Map() });
  walking.next();
  walking.next('first');
  walking.next(items);
  const failure = new StepFailure({ code: 'not_found', message: 'It is gone.', step: 'each[0].make' });
  const { value } = walking.throw(failure);
  expect(value).toMatchObject({ kind: 'fail', path: 'each', failure });
  expect(() => walking.throw(failure)).toThrow(failure);
});

test('a failure inside a loop also ends the loop when the failure is read from the journal', () => {
  const row = { position: 0, attempts: 1, failures: null, wake_at: null, output: null };
  const error = { code: 'not_found', message: 'It is gone.' };
  const journal = new Map<string, JournalRow>([
    ['first', { ...row, path: 'first', status: 'succeeded', input: null, error: null }],
    ['each', { ...row, path: 'each', status: 'running', input: { items }, error: null }],
    ['each[0].make', { ...row, path: 'each[0].make', status: 'failed', input: null, error }],
  ]);
  const walking = walk(steps, { context: newContext(), journal });
  expect(walking.next().value).toMatchObject({ kind: 'fail', path: 'each', failure: { error } });
});
