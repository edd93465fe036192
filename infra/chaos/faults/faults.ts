import { setTimeout as pause } from 'node:timers/promises';
import { appFaults } from './app-faults.ts';
import type { Fault } from './fault.ts';
import { natsFaults } from './nats-faults.ts';
import { postgresFaults } from './postgres-faults.ts';
import type { TestBed } from '../test-bed/test-bed.ts';

const all: readonly Fault[] = [...appFaults, ...natsFaults, ...postgresFaults];

export function faultsOf({ nats }: { nats: { nodes: readonly unknown[] } }): Fault[] {
  return all.filter(({ needsCluster }) => !needsCluster || nats.nodes.length > 1);
}

export interface FaultPlan {
  /** Time for which faults are injected. It is extended until each fault has been injected once. */
  durationMs: number;
  calmMs: number;
  /** True to inject each fault once in the shortest time: first the faults of NATS, then all others in parallel. */
  isHurried?: boolean;
}

/**
 * Injects each fault once, in random order. Then injects random faults, sometimes two at the same time, until the time
 * is over.
 */
export async function injectFaults(bed: TestBed, plan: FaultPlan): Promise<void> {
  const faults = bed.random.shuffled(faultsOf(bed));
  if (plan.isHurried) return injectHurriedly(bed, faults, plan.calmMs);
  const deadline = Date.now() + plan.durationMs;
  await injectInTurn(bed, faults, plan.calmMs);
  while (Date.now() < deadline) {
    await inject(bed, twoOf(bed, faults));
    await pause(bed.random.next() * plan.calmMs);
  }
}

async function injectHurriedly(bed: TestBed, faults: readonly Fault[], calmMs: number): Promise<void> {
  const { nats = [], ...others } = Object.groupBy(faults, ({ on }) => on);
  await injectInTurn(bed, nats, calmMs);
  await Promise.all(Object.values(others).map((faults) => injectInTurn(bed, faults, calmMs)));
}

async function injectInTurn(bed: TestBed, faults: readonly Fault[], calmMs: number): Promise<void> {
  for (const fault of faults) {
    await inject(bed, [fault]);
    await pause(bed.random.next() * calmMs);
  }
}

function twoOf({ random }: TestBed, faults: readonly Fault[]): Fault[] {
  const first = random.pick(faults);
  const others = faults.filter(({ on }) => on !== first.on);
  return random.has(0.5) ? [first] : [first, random.pick(others)];
}

async function inject(bed: TestBed, faults: readonly Fault[]): Promise<void> {
  const { timeline, options } = bed;
  options.signal.throwIfAborted();
  options.say(`fault: ${faults.map(({ name }) => name).join(' + ')}`);
  await Promise.all(faults.map((fault) => timeline.note(timeline.faults, fault.name, () => fault.inject(bed))));
}
