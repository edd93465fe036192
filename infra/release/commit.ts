import { glob, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { moveUnreleased } from './changelog.ts';
import { epochOf, git, root, run } from './commands.ts';
import { setImageVersion, setPackageVersion } from './version.ts';

const signals = ['SIGINT', 'SIGTERM'] as const;

export const releaseSubject = (version: string) => `release: ${version}`;

/**
 * Sets the version in all files and commits it, and writes the files of the release into a folder. A failure before the
 * commit undoes all changes.
 */
export async function commitRelease(version: string, notes: string, folder: string): Promise<void> {
  let isInterrupted = false;
  const onInterrupt = () => void (isInterrupted = true);
  const stopIfInterrupted = async (state: string) => {
    // Signals that arrive while a program runs are handled in the first complete turn of the event loop after it.
    await turn();
    await turn();
    if (isInterrupted) throw new Error(`The release was interrupted. ${state}`);
  };
  // Ctrl-C ends the program that is running at this moment, and the release then fails.
  for (const signal of signals) process.on(signal, onInterrupt);
  try {
    await writeVersion(version);
    await writeReleaseFiles(version, notes, folder, 'HEAD');
    await stopIfInterrupted('The checkout is as it was.');
    git('commit', '--quiet', '--all', '--message', releaseSubject(version));
    await stopIfInterrupted('The release commit exists. Run the same command again to create the tag.');
  } catch (error) {
    git('restore', '--staged', '--worktree', '.');
    throw error;
  } finally {
    for (const signal of signals) process.off(signal, onInterrupt);
  }
}

/** Writes the notes and the list of components into a folder, with the time of the tested commit. */
export async function writeReleaseFiles(version: string, notes: string, folder: string, tested: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'notes.md'), `# Relata ${version}\n\n${notes}`);
  const list = ['infra/images/sbom.ts', join(folder, 'sbom.cdx.json')];
  run(process.execPath, list, { SOURCE_DATE_EPOCH: epochOf(tested) });
}

async function writeVersion(version: string): Promise<void> {
  const edit = async (file: string, change: (text: string) => string) =>
    writeFile(join(root, file), change(await readFile(join(root, file), 'utf8')));
  const manifests = glob(
    ['package.json', '{apps,packages,infra,bench}/package.json', '{apps,packages,infra,examples}/*/package.json'],
    { cwd: root },
  );
  for await (const file of manifests) await edit(file, (text) => setPackageVersion(text, version));
  await edit('infra/images/Dockerfile', (text) => setImageVersion(text, version));
  const date = new Date().toISOString().slice(0, 10);
  await edit('CHANGELOG.md', (text) => moveUnreleased(text, version, date));
  run(process.execPath, ['infra/generate.ts']);
  const description = await readFile(join(root, 'docs/openapi.json'));
  await writeFile(join(root, 'docs/openapi-released.json'), description);
}
