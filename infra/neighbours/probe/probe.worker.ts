import { setTimeout as pause } from 'node:timers/promises';
import { latencyOf } from '@relata/testbed/quantile';
import { serveJobs } from '@relata/testbed/serve-jobs';
import { type Ask, probeKinds, WrongResponseError } from './asks.ts';
import { felt, type Latencies, type ProbeJob, type ProbeResult } from './probe.ts';

/** A small request counts as failed after this time. */
const patienceMs = 15_000;

/** Resolved once the flood of the current job has its effect. */
let ramp = Promise.withResolvers<void>();

serveJobs(
  (job: ProbeJob) => {
    ramp = Promise.withResolvers();
    return runAll(job, job.hasRamp ? ramp.promise : undefined);
  },
  (message) => message === felt && ramp.resolve(),
);

/** Probes by address and name. They keep their connections between jobs, because a usual client has some. */
const opened = new Map<string, Ask>();

async function runAll(job: ProbeJob, rampOver: Promise<void> | undefined): Promise<ProbeResult> {
  const { durationMs } = job;
  const results = await Promise.all(
    job.probes.map(async (name, place) => {
      const { everyMs, open } = probeKinds[name];
      const key = `${job.url} ${name}`;
      const ask = opened.get(key) ?? open(job);
      opened.set(key, ask);
      // Probes of one row send at different moments.
      await pause((everyMs * place) / job.probes.length);
      return [name, await runOne(ask, { everyMs, durationMs, rampOver })] as const;
    }),
  );
  return Object.fromEntries(results);
}

interface Sending {
  everyMs: number;
  durationMs: number;
  /** Undefined without a ramp-up. */
  rampOver: Promise<void> | undefined;
}

/**
 * Sends at a constant rate, however long answers take, and measures each request from when it was due: a service that
 * pauses for a second delays all requests of that second.
 */
async function runOne(ask: Ask, { everyMs, durationMs, rampOver }: Sending): Promise<Latencies> {
  const startedAt = performance.now();
  let countsFrom = rampOver ? Infinity : startedAt;
  void rampOver?.then(() => (countsFrom = performance.now()));
  const [asked, counted]: [Promise<void>[], number[]] = [[], []];
  const failures: Record<string, number> = {};
  let longestMs = 0;
  const askAt = async (dueAt: number, turn: number) => {
    let endedAt: number | undefined | void;
    try {
      endedAt = await ask(turn, AbortSignal.timeout(patienceMs));
    } catch (error) {
      const reason = reasonOf(error);
      failures[reason] = (failures[reason] ?? 0) + 1;
    }
    const tookMs = (endedAt ?? performance.now()) - dueAt;
    longestMs = Math.max(longestMs, tookMs);
    if (dueAt >= countsFrom) counted.push(tookMs);
  };
  for (let turn = 0, dueAt = startedAt; dueAt < countsFrom + durationMs; dueAt = startedAt + ++turn * everyMs) {
    await pause(Math.max(0, dueAt - performance.now()));
    asked.push(askAt(dueAt, turn));
  }
  await Promise.all(asked);
  return { asked: asked.length, count: counted.length, ...latencyOf(counted), longestMs, failures };
}

function reasonOf(error: unknown): string {
  if (error instanceof WrongResponseError) return error.message;
  const { name, code, message } = error as NodeJS.ErrnoException;
  return name === 'AbortError' || name === 'TimeoutError' ? 'no answer in time' : (code ?? message);
}
