import { readdir } from 'node:fs/promises';
import { LoadProcess } from '@relata/testbed/load-process';
import { MemoryWatch } from '@relata/testbed/memory';
import { until } from '@relata/testbed/until';
import { startFlood } from './flood/flood-process.ts';
import type { Aftermath, FloodView, Measured, Neighbour } from './neighbour.ts';
import { type OutsideCounts, readOutside } from '@relata/testbed/outside-servers';
import { createParty, type Party } from './test-bed/party.ts';
import { settle } from './test-bed/party.sql.ts';
import { felt, type Latencies, type ProbeJob, type ProbeResult } from './probe/probe.ts';
import { type BedServers, openServiceBed, type ServiceBed } from '@relata/testbed/service-bed';
import { compiledDir } from '@relata/testbed/places';
import { memoryMbOf } from '../generate/memory.ts';
import { type AppName, serviceOf } from '../services.ts';

/** Duration of each measurement; short if the row is only tested and not measured. */
export interface Durations {
  warmUpMs: number;
  /** Equal to `floodMs` in the full suite: a p99 from fewer samples is not comparable. */
  baselineMs: number;
  floodMs: number;
  afterMs: number;
  /** True if floods last as long as their rows declare. */
  isFull: boolean;
}

const effectWithinMs = 60_000;
const calmWithinMs = 30_000;

/** Node's heap takes half of the memory of an app. */
const heapMbOf = (app: string) => memoryMbOf(app as AppName) / 2;

let rows = 0;

export async function measure(row: Neighbour, servers: BedServers, durations: Durations): Promise<Measured> {
  await using stack = new AsyncDisposableStack();
  const { apps } = row;
  const services = apps.map(serviceOf);
  const settings = typeof row.settings === 'function' ? await row.settings(servers.folder) : row.settings;
  const bed = stack.use(await openServiceBed({ servers, name: `row_${++rows}`, services, settings, heapMbOf }));
  const worker = new URL('./probe/probe.worker.ts', import.meta.url);
  const probe = stack.use(new LoadProcess<ProbeJob, ProbeResult>(worker, [], { NODE_COMPILE_CACHE: compiledDir }));
  const flooder = await createParty(bed.database, 'Flooder', servers.outside.url);
  const other = await createParty(bed.database, 'Other', servers.outside.url);
  const own = await row.prepare?.(bed, flooder);
  await settle(bed.database);
  const { probes } = row;
  const run = (durationMs: number, hasRamp = false) =>
    probe.run({ url: bed.databaseUrl, urls: bed.urls, other, flooder, probes, durationMs, hasRamp });
  await run(durations.warmUpMs);
  const baseline = await run(durations.baselineMs);
  const descriptors = await descriptorsOf(bed);
  const before = await readOutside(servers.outside.url);
  using memory = row.memory && new MemoryWatch(bed.apps[row.memory.app]!.pid);
  await using flood = startFlood({ row: row.name, service: floodedService(bed, flooder), own });
  const view = async (): Promise<FloodView> => {
    const figures = flood.read();
    return { bed, flooder, figures, outside: difference(await readOutside(servers.outside.url), before) };
  };
  const floodMs = Math.max(durations.floodMs, durations.isFull ? (row.lastsMs ?? 0) : 0);
  // The other organization sends requests from the first moment on, so that the beginning of the flood is measured,
  // too.
  const [flooded, hadEffect] = await Promise.all([
    run(floodMs, true),
    isFelt(row, view).finally(() => probe.notify(felt)),
  ]);
  await flood.stop();
  const aftermath = { ...(await view()), descriptors };
  return {
    probes: probes.map((name) => ({ probe: name, baseline: baseline[name]!, flooded: flooded[name]! })),
    hadEffect,
    problems: await problemsOf(row, aftermath, () => run(durations.afterMs)),
    memoryMb: memory?.maxBytes === undefined ? undefined : memory.maxBytes / 1e6,
    figures: flood.read(),
  };
}

function floodedService(bed: ServiceBed, flooder: Party) {
  const { urls, databaseUrl, natsPrefix, servers } = bed;
  return { urls, databaseUrl, natsPrefix, natsUrl: servers.nats.url, outside: servers.outside.url, flooder };
}

function difference(after: OutsideCounts, before: OutsideCounts): OutsideCounts {
  const names = Object.keys(after) as (keyof OutsideCounts)[];
  return Object.fromEntries(names.map((name) => [name, after[name] - before[name]])) as unknown as OutsideCounts;
}

const isSound = ({ count, failures }: Latencies) => count > 0 && Object.keys(failures).length === 0;

async function isFelt(row: Neighbour, view: () => Promise<FloodView>): Promise<boolean> {
  try {
    await until('the flood is felt', async () => row.hasEffect(await view()), effectWithinMs);
    return true;
  } catch {
    // Throws the error of a flood that failed, which says more than that the flood had no effect.
    await view();
    return false;
  }
}

/**
 * Returns the problems after the flood: the other organization is not served, a process has ended, or a condition of
 * the row does not hold.
 */
async function problemsOf(row: Neighbour, aftermath: Aftermath, ask: () => Promise<ProbeResult>): Promise<string[]> {
  const problems = (await row.verify?.(aftermath)) ?? [];
  const served = await until('the other is served', async () => isServed(await ask()), calmWithinMs).catch(() => false);
  if (!served) problems.push(`the other organization is still not served ${calmWithinMs / 1_000} s after the flood`);
  return [...problems, ...aftermath.bed.endedApps()];
}

function isServed(result: ProbeResult): boolean {
  return Object.values(result).every(isSound);
}

async function descriptorsOf({ apps }: ServiceBed): Promise<Aftermath['descriptors']> {
  const counted = Object.entries(apps).map(async ([app, { pid }]) => [app, await countDescriptors(pid)] as const);
  return Object.fromEntries(await Promise.all(counted));
}

/** Returns the number of open file descriptors of a process, or NaN if the system does not provide it. */
export async function countDescriptors(pid: number): Promise<number> {
  return (await readdir(`/proc/${pid}/fd`).catch(() => undefined))?.length ?? Number.NaN;
}
