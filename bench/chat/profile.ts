import { profiled } from '@relata/testbed/cpu-profile';
import { openVisitors } from './answers.ts';
import { builtInAtOnce } from './built-in.ts';
import { follow } from '@relata/testbed/model';
import { allQuestions } from './findings.ts';
import { measureRound } from './round.ts';
import type { TestBed, StartOptions } from './test-bed.ts';

const starts = {
  chat: (bed: TestBed, options: StartOptions) => bed.startRelata(options),
  floor: (bed: TestBed, options: StartOptions) => bed.startFloor(options),
  'built-in': (bed: TestBed, options: StartOptions) => bed.startRelata({ ...options, isBuiltIn: true }),
};

/** Realistic answers: 100 tokens, sent one by one, at a rate that leaves the process some idle time. */
const script = { firstMs: 0, tokens: 100, gapMs: 10 };
const asked = { atOnce: 32, each: 16, tokens: script.tokens };
const askedOfBuiltIn = { atOnce: builtInAtOnce, each: 300, questions: allQuestions };

export async function profileChat(bed: TestBed, name: string): Promise<string> {
  if (!Object.hasOwn(starts, name)) throw new Error(`Unknown workload ${name}. Use ${Object.keys(starts).join(', ')}.`);
  return profiled(bed.folder, async (profiling) => {
    const { answersPerSecond, cpuSeconds, answers } = await run(bed, name as keyof typeof starts, profiling);
    const cost = ((cpuSeconds * 1_000) / answers).toFixed(2);
    return `${name}: ${Math.round(answersPerSecond)} answers/s, ${cost} ms of CPU per answer, while profiled`;
  });
}

async function run(bed: TestBed, name: keyof typeof starts, nodeOptions: string[]) {
  await using visitors = openVisitors();
  await follow(bed.model, script);
  await using service = await starts[name](bed, { nodeOptions });
  return await measureRound({ bed, visitors, service }, name === 'built-in' ? askedOfBuiltIn : asked);
}
