import { setTimeout as pause } from 'node:timers/promises';
import type { Check } from './checks/check.ts';
import { checkAll } from './checks/checks.ts';
import { collectEvidence, countOpenRuns, type Evidence } from './evidence/evidence.ts';
import { type FaultPlan, injectFaults } from './faults/faults.ts';
import { kinds } from './load/kinds.ts';
import { isAcked, Load } from './load/load.ts';
import { openApiLoad } from './load/api-load.ts';
import { RecordWriters } from './load/record-writers.ts';
import { TrashWriters } from './load/trash-writers.ts';
import { prepareScenario } from './load/scenario.ts';
import { openTestBed, type TestBed, type TestBedOptions } from './test-bed/test-bed.ts';
import { abortOf, until } from '@relata/testbed/until';

export interface ChaosOptions extends TestBedOptions, FaultPlan {
  postsPerSecond: number;
  /** Time from the first accepted delivery to the first fault. */
  warmUpMs: number;
}

export interface ChaosResult {
  evidence: Evidence;
  checks: Check[];
}

/** Time to wait until all runs have ended. It is longer than the promised 60 s, so that a late end is reported. */
const endTimeoutMs = 90_000;
/** API writes per post to a receiver, in the main organization and in the organization with deletes. */
const writesShare = 1 / 3;
const trashShare = 1 / 4;

/** Sends load while faults are injected, and checks the promises against the evidence. */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  await using stack = new AsyncDisposableStack();
  const bed = await openTestBed(stack, options);
  // An abort does not wait until the current fault is over. All processes are ended at once.
  return await Promise.race([runUnderFaults(bed, options), abortOf(options.signal)]);
}

async function runUnderFaults(bed: TestBed, options: ChaosOptions): Promise<ChaosResult> {
  const { say, seed, postsPerSecond } = options;
  const scenario = await prepareScenario(bed, kinds);
  await Promise.all(bed.apps.map((slot) => slot.start()));
  say(`two replicas of the API, two receivers and three workers run; seed ${seed}`);
  using load = new Load({ scenario, seed, postsPerSecond, urls: bed.receivers.map(({ url }) => url) });
  const { apiKey, trash } = scenario;
  const urls = bed.apis.map(({ url }) => url);
  using recordLoad = openApiLoad({
    urls,
    apiKey,
    seed: seed + 2,
    readersCount: 3,
    writersOf: (client, random) => new RecordWriters(client, random, postsPerSecond * writesShare),
  });
  await recordLoad.writers.prepare();
  using trashLoad = openApiLoad({
    urls,
    apiKey: trash.apiKey,
    seed: seed + 3,
    readersCount: 1,
    writersOf: (client, random) => new TrashWriters(client, random, postsPerSecond * trashShare),
  });
  const clientGroups = [load.clients, recordLoad.writers.clients, trashLoad.writers.clients];
  for (const clients of clientGroups) clients.start();
  await until('the first delivery is accepted', () => load.posts.some(isAcked));
  await pause(options.warmUpMs);
  await injectFaults(bed, options);
  const lastFaultAt = Date.now();
  say('the last fault is over');
  await Promise.all(clientGroups.map((clients) => clients.end()));
  const endedAfterMs = await allEnded(bed, lastFaultAt);
  const evidence = await collectEvidence(bed, scenario, {
    posts: load.posts,
    endedAfterMs,
    recordLoad,
    trashLoad,
  });
  return { evidence, checks: checkAll(evidence) };
}

async function allEnded({ database }: TestBed, lastFaultAt: number): Promise<number | undefined> {
  try {
    await until('no run is open', async () => (await countOpenRuns(database)) === 0, endTimeoutMs);
    return Date.now() - lastFaultAt;
  } catch {
    return undefined;
  }
}
