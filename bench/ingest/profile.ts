import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LoadProcess } from '@relata/testbed/load-process';
import { type CpuProfile, summarizeProfile } from '../profile/cpu-profile.ts';
import { loadOf } from './acceptance-rounds.ts';
import { measureBurst, warmUp } from './burst.ts';
import { quickPace } from './pace.ts';
import { openPosts, startService } from './service.ts';
import type { TestBed } from './test-bed.ts';

interface ProfileOptions {
  bed: TestBed;
  load: LoadProcess;
  name: string;
  onProgress: (line: string) => void;
}

const profiledPosts = 8_000;

const profiles: Record<string, (options: ProfileOptions, folder: string) => Promise<string>> = {
  floor: profileAcceptance,
  accept: profileAcceptance,
  signed: profileAcceptance,
  run: profileRuns,
};

/** Runs the receiver or the worker under load, and reports the functions in which it spent its time. */
export async function profileIngest(options: ProfileOptions): Promise<string> {
  const profile = profiles[options.name];
  if (!profile) throw new Error(`There is no workload ${options.name}: ${Object.keys(profiles).join(', ')}.`);
  options.onProgress(`profiling ${options.name}`);
  const folder = join(options.bed.folder, 'profile');
  const title = await profile(options, folder);
  const [file] = await readdir(folder);
  return `${title}\n\n${summarizeProfile(JSON.parse(await readFile(join(folder, file!), 'utf8')) as CpuProfile)}`;
}

const profiling = (folder: string) => ['--cpu-prof', `--cpu-prof-dir=${folder}`];

async function profileAcceptance({ bed, load, name }: ProfileOptions, folder: string): Promise<string> {
  const site = await bed.openSite('bench');
  const start = name === 'floor' ? bed.startFloor : bed.startReceiver;
  await using receiver = await start(site, { prefix: 'bench', nodeOptions: profiling(folder) });
  const size = { url: receiver.url, connections: 64, warmUpMs: 1_000, durationMs: 8_000 };
  const { requestsPerSecond } = await load.run(loadOf(name === 'signed' ? site.withIds.signed : site.targets[1], size));
  return `${name}: ${Math.round(requestsPerSecond)} posts/s while profiled`;
}

async function profileRuns({ bed }: ProfileOptions, folder: string): Promise<string> {
  const site = await bed.openSite('bench');
  await using posts = openPosts();
  const options = { prefix: 'bench', nodeOptions: profiling(folder) };
  await using service = await startService({ bed, site, posts }, options);
  await warmUp(service, quickPace.warmUpPosts);
  const { runsPerSecond } = await measureBurst(service, profiledPosts);
  return `run: ${Math.round(runsPerSecond)} runs/s while the worker was profiled`;
}
