import { setTimeout as pause } from 'node:timers/promises';
import { MemoryWatch, residentBytes } from '@relata/testbed/memory';
import type { Program } from '@relata/testbed/program';
import { interleaved } from '@relata/testbed/rounds';
import { type ChatContext, warmUp } from './answering.ts';
import { follow } from '@relata/testbed/model';
import { say } from '@relata/testbed/suite-program';
import { type Comparison, measureRound, type Round } from './round.ts';

export const crowdSize = 500;
export const crowdScript = { firstMs: 0, tokens: 100, gapMs: 50 };

export interface CrowdRound extends Round {
  /** Resident memory of the idle service after the warm-up, and its maximum while it sends all answers. */
  beforeBytes: number;
  peakBytes: number;
  streamBytes: number;
}

/** The pause after which the process counts as idle. */
const restMs = 500;

/** Measures many concurrent answers, sent at the pace of a model. Each round starts a new process. */
export async function measureCrowd(context: ChatContext): Promise<Comparison<CrowdRound>> {
  const { bed, plan } = context;
  say(`${crowdSize} answers at once`);
  return interleaved(plan.crowdRounds, {
    floor: () => measureOne(context, () => bed.startFloor()),
    relata: () => measureOne(context, () => bed.startRelata()),
  });
}

async function measureOne(context: ChatContext, start: () => Promise<Program>): Promise<CrowdRound> {
  const { bed, visitors } = context;
  await using service = await start();
  await warmUp(context, service);
  await follow(bed.model, crowdScript);
  await pause(restMs);
  const beforeBytes = (await residentBytes(service.pid)) ?? Number.NaN;
  using memory = new MemoryWatch(service.pid);
  const asked = { atOnce: crowdSize, each: 1, tokens: crowdScript.tokens };
  const round = await measureRound({ bed, visitors, service }, asked);
  const peakBytes = memory.maxBytes ?? Number.NaN;
  return { ...round, beforeBytes, peakBytes, streamBytes: (peakBytes - beforeBytes) / crowdSize };
}
