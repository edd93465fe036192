import { randomUUID } from 'node:crypto';
import { glob, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { oneAtATime } from './build-lock.ts';
import { hashOfSources, stampName, stampOf } from './static-build.ts';

export { oneAtATime };

const root = resolve(import.meta.dirname, '../../..');
const lock = join(root, '.local/bundling');

export interface BuiltBundles {
  /** Absolute path of the folder with `<app>.mjs` for each program. */
  folder: string;
  /** False if the sources have not changed since the last build, which was kept. */
  isNew: boolean;
}

/**
 * Bundles all programs into a folder, `dist` by default, which is replaced as a whole. If several processes call this
 * at the same time, only one builds.
 */
export async function bundlePrograms({ folder = join(root, 'dist') } = {}): Promise<BuiltBundles> {
  const programs = await findPrograms();
  const folders = [`apps/{${Object.keys(programs).join()}}`, 'packages/*'];
  const sources = folders.flatMap((of) => [`${of}/src/**/*`, `${of}/package.json`]);
  const stamp = await hashOfSources([...sources, 'pnpm-lock.yaml'], root);
  const isBuilt = async () => (await stampOf(folder)) === stamp;
  if (await isBuilt()) return { folder, isNew: false };
  return oneAtATime(lock, async () => {
    if (await isBuilt()) return { folder, isNew: false };
    await build(programs, folder, stamp);
    return { folder, isNew: true };
  });
}

/** Returns the main file of each program by app: the services, and the command `relata`. */
async function findPrograms(): Promise<Record<string, string>> {
  const services = await Array.fromAsync(glob('apps/*/src/service.ts', { cwd: root }));
  const apps = ['cli', ...services.map((file) => file.split('/')[1]!)];
  return Object.fromEntries(apps.toSorted().map((app) => [app, `apps/${app}/src/main.ts`]));
}

let suiteBundles: Promise<BuiltBundles> | undefined;

/**
 * Returns the path of a program's bundle for tests and suites. These bundles have their own folder, so that a build
 * does not disturb a running stack or benchmark. Sources are checked once per process: a restarted app uses the same
 * bundle.
 */
export async function findSuiteBundle(program: string): Promise<string> {
  suiteBundles ??= bundlePrograms({ folder: join(root, 'dist.suites') });
  return join((await suiteBundles).folder, `${program}.mjs`);
}

async function build(programs: Record<string, string>, folder: string, stamp: string): Promise<void> {
  // Imported here because the bundler takes 100 MB, and most callers find everything built.
  const { bundle } = await import('./bundle.ts');
  const writtenTo = `${folder}.${randomUUID()}`;
  try {
    await bundle({ root, programs, writtenTo, folder });
    await writeFile(join(writtenTo, stampName), stamp);
    await rm(folder, { recursive: true, force: true });
    await rename(writtenTo, folder);
  } finally {
    await rm(writtenTo, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const { folder, isNew } = await bundlePrograms();
  console.log(isNew ? folder : `${folder}: unchanged`);
}
