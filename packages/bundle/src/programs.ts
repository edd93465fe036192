import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns the main file of each program by app, for the apps that declare a service or a command. */
export async function findPrograms(root: string): Promise<Record<string, string>> {
  const services = await Array.fromAsync(glob('apps/*/src/service.ts', { cwd: root }));
  const manifests = await Array.fromAsync(glob('apps/*/package.json', { cwd: root }));
  const commands = await Promise.all(
    manifests.map(async (file) => ((await hasCommand(join(root, file))) ? [file] : [])),
  );
  const names = [...services, ...commands.flat()].map((file) => file.split('/')[1]!);
  return Object.fromEntries(names.toSorted().map((name) => [name, `apps/${name}/src/main.ts`]));
}

async function hasCommand(manifest: string): Promise<boolean> {
  return 'bin' in (JSON.parse(await readFile(manifest, 'utf8')) as object);
}
