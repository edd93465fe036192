import { useEffect, useRef, useState } from 'react';
import { call } from '../api/client.ts';
import { type ApiFailure, asFailure } from '../api/failure.ts';
import { refresh } from '../api/queries.ts';
import type { Problem } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';

const lookEveryMs = 1_500;
const askedMax = 1_000;
const pageRuns = 200;

/** How far the retry of a problem is. */
export interface Progress {
  phase: 'asking' | 'queueing' | 'watching' | 'over';
  queued: number;
  succeeded: number;
  failed: number;
  /** Cancelled, or gone. */
  ended: number;
  failure?: ApiFailure | undefined;
}

const unbegun: Progress = { phase: 'asking', queued: 0, succeeded: 0, failed: 0, ended: 0 };

/** Queues the runs of a problem page by page, then watches them until they end. Goes on where a failure stopped it. */
export function useBulkRetry(problem: Problem) {
  const org = useOrg();
  const params = { org: org.id };
  const [progress, setProgress] = useState(unbegun);
  const control = useRef<AbortController>(undefined);
  const left = useRef({ before: undefined as string | undefined, isQueued: false, open: new Set<string>() });
  useEffect(() => () => control.current?.abort(), []);

  async function queueAll(signal: AbortSignal): Promise<void> {
    const cause = { workflow: problem.workflow_id, step: problem.step, code: problem.code };
    const { current } = left;
    while (!current.isQueued) {
      const { before } = current;
      // As many as were asked for, and not what has failed since.
      const limit = Math.min(pageRuns, problem.runs - current.open.size);
      const body = { ...cause, limit, ...(before && { before }) };
      const { data } = await call('retryProblem', { params, body }, signal);
      for (const { id } of data.retried) current.open.add(id);
      current.before = data.next ?? undefined;
      current.isQueued = data.next === null || current.open.size >= problem.runs;
      setProgress((now) => ({ ...now, queued: now.queued + data.retried.length }));
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

  async function start(): Promise<void> {
    control.current = new AbortController();
    const { signal } = control.current;
    setProgress((now) => ({ ...now, phase: 'queueing', failure: undefined }));
    try {
      await queueAll(signal);
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
