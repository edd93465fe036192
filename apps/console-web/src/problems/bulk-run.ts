import { useEffect, useRef, useState } from 'react';
import { call } from '../api/client.ts';
import { type ApiFailure, asFailure } from '../api/failure.ts';
import { refresh } from '../api/queries.ts';
import type { AnswerOf, Problem } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';

/** How runs go on: as they are, with the newest version, or anew from their deliveries. */
export type Way = 'retry' | 'latest' | 'replay';

const lookEveryMs = 1_500;
const askedMax = 1_000;
const pageRuns = { retry: 200, latest: 200, replay: 50 } as const;

type Refused = AnswerOf<'replayProblem'>['data']['refused'][number];

/** How far all runs of a problem are. */
export interface Progress {
  phase: 'asking' | 'queueing' | 'watching' | 'over';
  queued: number;
  succeeded: number;
  failed: number;
  /** Cancelled, or gone. */
  ended: number;
  /** Runs that were left as they are. */
  refused: readonly Refused[];
  failure?: ApiFailure | undefined;
}

const unbegun: Progress = { phase: 'asking', queued: 0, succeeded: 0, failed: 0, ended: 0, refused: [] };

/** Queues the runs of a problem page by page, then watches them until they end. Goes on where a failure stopped it. */
export function useBulkRun(problem: Problem) {
  const org = useOrg();
  const params = { org: org.id };
  const [progress, setProgress] = useState(unbegun);
  const control = useRef<AbortController>(undefined);
  const left = useRef({ before: undefined as string | undefined, isQueued: false, done: 0, open: new Set<string>() });
  useEffect(() => () => control.current?.abort(), []);

  async function queuePage(way: Way, limit: number, signal: AbortSignal) {
    const { before } = left.current;
    const cause = { workflow: problem.workflow_id, step: problem.step, code: problem.code };
    const body = { ...cause, limit, ...(before && { before }) };
    if (way !== 'replay') {
      const { data } = await call('retryProblem', { params, body: { ...body, latest: way === 'latest' } }, signal);
      return { ...data, ids: data.retried.map(({ id }) => id) };
    }
    const { data } = await call('replayProblem', { params, body }, signal);
    return { ...data, ids: data.started.map(({ id }) => id) };
  }

  async function queueAll(way: Way, signal: AbortSignal): Promise<void> {
    const { current } = left;
    while (!current.isQueued) {
      // As many as were asked for, and not what has failed since.
      const limit = Math.min(pageRuns[way], problem.runs - current.done);
      const { ids, refused, next } = await queuePage(way, limit, signal);
      for (const id of ids) current.open.add(id);
      current.done += ids.length + refused.length;
      current.before = next ?? undefined;
      current.isQueued = next === null || current.done >= problem.runs;
      setProgress((now) => ({ ...now, queued: now.queued + ids.length, refused: [...now.refused, ...refused] }));
    }
    await refresh('listProblems', 'listRuns');
  }

  async function watch(signal: AbortSignal): Promise<void> {
    const { open } = left.current;
    setProgress((now) => ({ ...now, phase: 'watching' }));
    while (open.size > 0) {
      await pause(lookEveryMs, signal);
      const ids = [...open].slice(0, askedMax);
      const { data } = await call('listRunStates', { params, body: { ids } }, signal);
      const states = new Map(data.map(({ id, status }) => [id, status]));
      const counted = { succeeded: 0, failed: 0, ended: 0 };
      for (const id of ids) {
        open.delete(id);
        const status = states.get(id) ?? 'cancelled';
        // Behind those that were not asked for this time.
        if (status === 'queued' || status === 'running' || status === 'waiting') open.add(id);
        else counted[status === 'cancelled' ? 'ended' : status]++;
      }
      setProgress((now) => added(now, counted));
    }
  }

  async function start(way: Way): Promise<void> {
    control.current = new AbortController();
    const { signal } = control.current;
    setProgress((now) => ({ ...now, phase: 'queueing', failure: undefined }));
    try {
      await queueAll(way, signal);
      await watch(signal);
      setProgress((now) => ({ ...now, phase: 'over' }));
    } catch (error) {
      if (!signal.aborted) setProgress((now) => ({ ...now, failure: asFailure(error) }));
    } finally {
      void refresh('listProblems', 'listRuns');
    }
  }

  return { progress, start };
}

function added(now: Progress, more: Pick<Progress, 'succeeded' | 'failed' | 'ended'>): Progress {
  return {
    ...now,
    succeeded: now.succeeded + more.succeeded,
    failed: now.failed + more.failed,
    ended: now.ended + more.ended,
  };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stop = () => reject(signal.reason as Error);
  const timer = setTimeout(resolve, ms);
  signal.addEventListener('abort', stop, { once: true });
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}
