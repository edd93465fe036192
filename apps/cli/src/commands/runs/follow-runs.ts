import { setTimeout as pause } from 'node:timers/promises';
import type { Db } from '@relata/db';
import { findRunOutline, type Run, type RunOutline } from '@relata/workflows/runs';
import { errorText } from './runs.view.ts';

const pollMs = 100;
const ended: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled']);

export const hasEnded = ({ status }: Pick<Run, 'status'>) => ended.has(status);

export interface FollowOptions {
  orgId: string;
  runIds: readonly string[];
  timeoutMs: number;
  /** Called with a line for each change of a run or of a step. */
  say(line: string): void;
}

/**
 * Follows runs until all have ended or `timeoutMs` has passed, and returns their last state, without the inputs and
 * outputs of their steps.
 */
export async function followRuns(db: Db, { orgId, runIds, timeoutMs, say }: FollowOptions): Promise<RunOutline[]> {
  const began = performance.now();
  const printed = new Map<string, string>();
  const followed = new Map<string, RunOutline>();
  for (;;) {
    for (const id of runIds) {
      const before = followed.get(id);
      const run = before && hasEnded(before) ? before : await findRunOutline(db, orgId, id);
      if (run) followed.set(id, run);
    }
    const runs = [...followed.values()];
    const elapsedMs = performance.now() - began;
    for (const line of changes(runs, printed)) say(`${(elapsedMs / 1_000).toFixed(1).padStart(6)} s  ${line}`);
    if (elapsedMs >= timeoutMs || runs.every(hasEnded)) return runs;
    await pause(pollMs);
  }
}

/** Yields a line for each change. Steps come before their run, since the run ends after its steps. */
function* changes(runs: readonly RunOutline[], printed: Map<string, string>): Generator<string> {
  for (const run of runs) {
    const lines = [
      ...run.steps.map((step) => [step.path, stateText(step)] as const),
      ['', run.error ? `${run.status}: ${errorText(run.error)}` : run.status] as const,
    ];
    for (const [path, text] of lines) {
      const key = `${run.id} ${path}`;
      if (printed.get(key) === text) continue;
      printed.set(key, text);
      yield [run.workflow, path, text].filter((part) => part !== '').join('  ');
    }
  }
}

function stateText({ status, attempts, failures, error, wake_at }: RunOutline['steps'][number]): string {
  const failure = error ?? (status === 'waiting' ? failures.at(-1)?.error : undefined);
  return [
    status,
    attempts > 1 ? `, attempt ${attempts}` : '',
    status === 'waiting' && wake_at !== null ? ` until ${wake_at}` : '',
    failure ? `: ${errorText(failure)}` : '',
  ].join('');
}
