import { setTimeout as pause } from 'node:timers/promises';
import type { LoadReply } from '../../../bench/load/load.ts';
import { quantile } from '../../../bench/quantile.ts';
import { type Ask, probeKinds, WrongAnswerError } from './asks.ts';
import type { Latencies, ProbeJob, ProbeResult } from './probe.ts';

/** A small request counts as failed after this time. */
const patienceMs = 15_000;

process.on('message', (job: ProbeJob) => {
  const answer = (reply: LoadReply<ProbeResult>) => process.send?.(reply);
  runAll(job).then(
    (result) => answer({ result }),
    (error: unknown) => answer({ error: error instanceof Error ? error.message : String(error) }),
  );
});
process.once('disconnect', () => process.exit());

/** Connections are kept between jobs: a healthy client has some. */
const opened = new Map<string, Ask>();

async function runAll(job: ProbeJob): Promise<ProbeResult> {
  const results = await Promise.all(
    job.probes.map(async (name, place) => {
      const { everyMs, open } = probeKinds[name];
      const key = `${job.url} ${name}`;
      const ask = opened.get(key) ?? open(job);
      opened.set(key, ask);
      // Probes of one row do not send at the same moments.
      await pause((everyMs * place) / job.probes.length);
      return [name, await runOne(ask, everyMs, job.durationMs)] as const;
    }),
  );
  return Object.fromEntries(results);
}

/**
 * Sends at a constant rate, however long answers take, and measures each request from when it was due: a service that
 * pauses for a second delays all requests of that second.
 */
async function runOne(ask: Ask, everyMs: number, durationMs: number): Promise<Latencies> {
  const latencies: number[] = [];
  const failures: Record<string, number> = {};
  const startedAt = performance.now();
  const asked: Promise<void>[] = [];
  const askAt = async (dueAt: number, turn: number) => {
    let endedAt: number | undefined | void;
    try {
      endedAt = await ask(turn, AbortSignal.timeout(patienceMs));
    } catch (error) {
      const what = reasonOf(error);
      failures[what] = (failures[what] ?? 0) + 1;
    }
    latencies.push((endedAt ?? performance.now()) - dueAt);
  };
  for (let turn = 0; turn * everyMs < durationMs; turn++) {
    const dueAt = startedAt + turn * everyMs;
    await pause(Math.max(0, dueAt - performance.now()));
    asked.push(askAt(dueAt, turn));
  }
  await Promise.all(asked);
  latencies.sort((a, b) => a - b);
  return { count: latencies.length, p50Ms: quantile(latencies, 0.5), p99Ms: quantile(latencies, 0.99), failures };
}

function reasonOf(error: unknown): string {
  if (error instanceof WrongAnswerError) return error.message;
  const { name, code, message } = error as NodeJS.ErrnoException;
  return name === 'AbortError' || name === 'TimeoutError' ? 'no answer in time' : (code ?? message);
}
