import { HttpClient } from '@relata/testbed/http-client';
import type { LoadProcess } from '@relata/testbed/load-process';
import type { LoadJob } from '@relata/testbed/load';
import { type CpuSeconds, withCpu } from '@relata/testbed/cpu';
import type { Program } from '@relata/testbed/program';
import { clearDeliveries, countDeliveries } from './delivery.sql.ts';
import { leadBody } from './lead.ts';
import type { IngestPlan } from './plan.ts';
import type { IngestDatabase, Sender } from './ingest-database.ts';
import type { TestBed } from './test-bed.ts';

/** Processor time per stored delivery, in microseconds. NaN if the system does not provide it. */
export type Cost = Record<'receiver' | 'postgres' | 'nats', number>;

export interface RoundsOptions {
  bed: TestBed;
  database: IngestDatabase;
  load: LoadProcess;
  plan: IngestPlan;
  service: Program;
  target: Sender;
  connections: number;
  /** True for Relata, false for the floor. */
  isStored: boolean;
}

const differentBodies = 1_000;

/**
 * Number of prepared bodies per second of a round if each body is sent only once. If the receiver accepts more, the
 * round ends early.
 */
const oncePerSecondMax = 10_000;

/** Returns rounds that each begin with empty tables, and end with a check that every accepted delivery is stored. */
export function acceptanceRounds(options: RoundsOptions) {
  const { bed, database, load, plan, service, target, connections, isStored } = options;
  const costs: Cost[] = [];
  const run = async (warmUpMs: number, durationMs: number) => {
    const job = loadOf(target, { url: service.url, connections, warmUpMs, durationMs });
    const { result, cpu } = await withCpu({ receiver: service.pid, ...bed.pids }, () => load.run(job));
    const stored = await countDeliveries(database);
    const accepted = (result.requestsPerSecond * durationMs) / 1_000;
    const least = isStored ? Math.floor(Math.min(accepted, job.isOnce ? job.requests.length : Infinity)) : 0;
    if (stored < least || (!isStored && stored > 0)) throw new Error(`${stored} rows are stored instead of ${least}.`);
    if (isStored) await clearDeliveries(database);
    return { result, cost: costOf(cpu, stored) };
  };
  return {
    costs,
    prepare: async () => {
      await verify(target, service.url);
      await run(plan.firstWarmUpMs, 0);
    },
    measure: async () => {
      const { result, cost } = await run(plan.warmUpMs, plan.durationMs);
      costs.push(cost);
      return result;
    },
  };
}

function costOf(cpu: CpuSeconds<keyof Cost>, stored: number): Cost {
  const of = (user: keyof Cost) => (cpu[user] * 1e6) / stored;
  return { receiver: of('receiver'), postgres: of('postgres'), nats: of('nats') };
}

export function loadOf(
  { path, headers, headersOf, isOnce = false }: Sender,
  size: Pick<LoadJob, 'url' | 'connections' | 'warmUpMs' | 'durationMs'>,
): LoadJob {
  const seconds = (size.warmUpMs + size.durationMs) / 1_000;
  const count = isOnce ? Math.ceil(seconds * oncePerSecondMax) : differentBodies;
  const requests = Array.from({ length: count }, (_, i) => {
    // Body 0 was already sent to verify the response.
    const body = JSON.parse(leadBody(i + 1)) as unknown;
    // The load process sends the output of JSON.stringify, so the sender signs exactly this string.
    return { method: 'POST' as const, path, body, ...(headersOf && { headers: headersOf(JSON.stringify(body)) }) };
  });
  return { ...size, headers, status: 202, requests, isOnce };
}

/** Sends one post with an ordinary client and checks its response. The load process checks only the status. */
async function verify({ path, headers, headersOf }: Sender, url: string): Promise<void> {
  using client = new HttpClient(url);
  const body = leadBody(0);
  const sent = {
    method: 'POST',
    path,
    headers: { ...headers, ...headersOf?.(body) },
    body: Buffer.from(body),
  } as const;
  const { status, text } = await client.send(sent);
  if (status !== 202 || text !== '{"received":true}')
    throw new Error(`A post to ${url} was answered wrongly: ${status} ${text.slice(0, 500)}`);
}
