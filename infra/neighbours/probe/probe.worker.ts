import { setTimeout as pause } from 'node:timers/promises';
import type { LoadReply } from '@relata/testbed/load';
import { type Ask, probeKinds, WrongAnswerError } from './asks.ts';
import { felt, type Latencies, type ProbeJob, type ProbeResult } from './probe.ts';
import { Times } from './times.ts';

/** A small request counts as failed after this time. */
const patienceMs = 15_000;

/** Resolved once the flood of the current job has its effect. */
let ramp = Promise.withResolvers<void>();

process.on('message', (message: ProbeJob | typeof felt) => {
  if (message === felt) return ramp.resolve();
  ramp = Promise.withResolvers();
  const answer = (reply: LoadReply<ProbeResult>) => process.send?.(reply);
  runAll(message, message.hasRamp ? ramp.promise : undefined).then(
    (result) => answer({ result }),
    (error: unknown) => answer({ error: error instanceof Error ? error.message : String(error) }),
  );
});
process.once('disconnect', () => process.exit());

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
  const times = new Times();
  const startedAt = performance.now();
  let countsFrom = rampOver ? Infinity : startedAt;
  void rampOver?.then(() => (countsFrom = performance.now()));
  const asked: Promise<void>[] = [];
  const askAt = async (dueAt: number, turn: number) => {
    let endedAt: number | undefined | void;
    try {
      endedAt = await ask(turn, AbortSignal.timeout(patienceMs));
    } catch (error) {
      times.addFailure(reasonOf(error));
    }
    times.add((endedAt ?? performance.now()) - dueAt, dueAt >= countsFrom);
  };
  for (let turn = 0, dueAt = startedAt; dueAt < countsFrom + durationMs; dueAt = startedAt + ++turn * everyMs) {
    await pause(Math.max(0, dueAt - performance.now()));
    asked.push(askAt(dueAt, turn));
  }
  await Promise.all(asked);
  return times.summary();
}

function reasonOf(error: unknown): string {
  if (error instanceof WrongAnswerError) return error.message;
  const { name, code, message } = error as NodeJS.ErrnoException;
  return name === 'AbortError' || name === 'TimeoutError' ? 'no answer in time' : (code ?? message);
}
