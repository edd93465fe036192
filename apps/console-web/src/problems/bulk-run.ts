import { useEffect, useRef, useState } from 'react';
import { type ApiFailure, asFailure } from '../api/failure.ts';
import { refresh } from '../api/queries.ts';
import type { OutputOf, Problem } from '../api/types.ts';
import { isOver } from '../runs/run-state.tsx';
import { useOrg } from '../shell/org.ts';

/**
 * Mode of repeating failed runs: retry on their own version, retry on the newest version, or replay their deliveries.
 */
export type RetryMode = 'retry' | 'latest' | 'replay';

const lookEveryMs = 1_500;
const askedMax = 1_000;
const pageRuns = { retry: 200, latest: 200, replay: 50 } as const;

type Refused = OutputOf<'replayProblem'>['data']['refused'][number];

type Status = OutputOf<'listRunStates'>['data'][number]['status'];

interface Work {
  before?: string | undefined;
  isQueued: boolean;
  /** Status of each queued run, least recently read first. A run that no longer exists counts as cancelled. */
  states: Map<string, Status>;
  refused: Refused[];
}

export type Progress = ReturnType<typeof progressOf>;

function progressOf({ states, refused }: Work, phase: 'asking' | 'queueing' | 'watching' | 'over') {
  const count = (status: Status) => [...states.values()].filter((one) => one === status).length;
  const counts = { succeeded: count('succeeded'), failed: count('failed'), ended: count('cancelled') };
  const failure = undefined as ApiFailure | undefined;
  return { phase, failure, queued: states.size, ...counts, refused: [...refused] };
}

/**
 * Queues the runs of a problem page by page, then watches them until they end. After a failure, `start` continues where
 * it stopped.
 */
export function useBulkRun(problem: Problem) {
  const { call } = useOrg();
  const { current: work } = useRef<Work>({ isQueued: false, states: new Map(), refused: [] });
  const [progress, setProgress] = useState<Progress>(() => progressOf(work, 'asking'));
  const control = useRef<AbortController>(undefined);
  useEffect(() => () => control.current?.abort(), []);

  async function queuePage(mode: RetryMode, limit: number, signal: AbortSignal) {
    const cause = { workflow: problem.workflow_id, step: problem.step, code: problem.code };
    const body = { ...cause, limit, ...(work.before && { before: work.before }) };
    if (mode !== 'replay') {
      const { data } = await call('retryProblem', { body: { ...body, latest: mode === 'latest' } }, signal);
      return { ...data, ids: data.retried.map(({ id }) => id) };
    }
    const { data } = await call('replayProblem', { body }, signal);
    return { ...data, ids: data.started.map(({ id }) => id) };
  }

  async function queueAll(mode: RetryMode, signal: AbortSignal): Promise<void> {
    const done = () => work.states.size + work.refused.length;
    while (!work.isQueued) {
      setProgress(progressOf(work, 'queueing'));
      // Limits the total to the number of runs that the person saw, so that later failures are not included.
      const limit = Math.min(pageRuns[mode], problem.runs - done());
      const { ids, refused, next } = await queuePage(mode, limit, signal);
      for (const id of ids) work.states.set(id, 'queued');
      work.refused.push(...refused);
      work.before = next ?? undefined;
      work.isQueued = next === null || done() >= problem.runs;
    }
    await refresh('listProblems', 'listRuns');
  }

  async function watch(signal: AbortSignal): Promise<void> {
    for (;;) {
      setProgress(progressOf(work, 'watching'));
      const open = [...work.states].filter(([, status]) => !isOver(status)).map(([id]) => id);
      if (open.length === 0) return;
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
      const ids = open.slice(0, askedMax);
      const { data } = await call('listRunStates', { body: { ids } }, signal);
      const found = new Map(data.map(({ id, status }) => [id, status]));
      for (const id of ids) {
        // Moves the run to the end, so that the next read begins with runs that were not read this time.
        work.states.delete(id);
        work.states.set(id, found.get(id) ?? 'cancelled');
      }
    }
  }

  async function start(mode: RetryMode): Promise<void> {
    control.current = new AbortController();
    const { signal } = control.current;
    try {
      await queueAll(mode, signal);
      await watch(signal);
      setProgress(progressOf(work, 'over'));
    } catch (error) {
      if (!signal.aborted) setProgress((now) => ({ ...now, failure: asFailure(error) }));
    } finally {
      void refresh('listProblems', 'listRuns');
    }
  }

  return { progress, start };
}
