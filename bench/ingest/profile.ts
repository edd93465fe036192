import type { LoadProcess } from '@relata/testbed/load-process';
import { profiled } from '@relata/testbed/cpu-profile';
import { say } from '@relata/testbed/suite-program';
import { loadOf } from './acceptance-rounds.ts';
import { measureBurst, warmUp } from './burst.ts';
import { quickPlan } from './plan.ts';
import { openPosts, startService } from './service.ts';
import type { TestBed } from './test-bed.ts';

interface ProfileOptions {
  bed: TestBed;
  load: LoadProcess;
  name: string;
}

const profiledPosts = 8_000;

const profiles: Record<string, (options: ProfileOptions, profiling: string[]) => Promise<string>> = {
  floor: profileAcceptance,
  accept: profileAcceptance,
  signed: profileAcceptance,
  run: profileRuns,
};

export async function profileIngest(options: ProfileOptions): Promise<string> {
  const profile = profiles[options.name];
  if (!profile) throw new Error(`Unknown workload ${options.name}. Use ${Object.keys(profiles).join(', ')}.`);
  say(`profiling ${options.name}`);
  return profiled(options.bed.folder, (profiling) => profile(options, profiling));
}

async function profileAcceptance({ bed, load, name }: ProfileOptions, nodeOptions: string[]): Promise<string> {
  const database = await bed.createIngestDatabase('bench');
  const start = name === 'floor' ? bed.startFloor : bed.startReceiver;
  await using receiver = await start(database, { prefix: 'bench', nodeOptions });
  const size = { url: receiver.url, connections: 64, warmUpMs: 1_000, durationMs: 8_000 };
  const { requestsPerSecond } = await load.run(
    loadOf(name === 'signed' ? database.senders.signedWithId : database.targets[1], size),
  );
  return `${name}: ${Math.round(requestsPerSecond)} posts/s while profiled`;
}

async function profileRuns({ bed }: ProfileOptions, nodeOptions: string[]): Promise<string> {
  const database = await bed.createIngestDatabase('bench');
  await using posts = openPosts();
  await using service = await startService({ bed, database, posts }, { prefix: 'bench', nodeOptions });
  await warmUp(service, quickPlan.warmUpPosts);
  const { runsPerSecond } = await measureBurst(service, profiledPosts);
  return `run: ${Math.round(runsPerSecond)} runs/s while the worker was profiled`;
}
