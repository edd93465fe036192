import { glob, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { moveUnreleased, unreleasedEntries } from './changelog.ts';
import { git, hasDocker, root, run } from './commands.ts';
import { checkVersion, setImageVersion, setPackageVersion } from './version.ts';

export interface ReleaseOptions {
  version: string;
  /** Commit for which the tests have passed elsewhere, as in CI. Without it they run first. */
  tested?: string | undefined;
  isDry: boolean;
  say: (line: string) => void;
}

/**
 * Makes a release of the checked-out commit: a commit with the version, a tag, notes, the list of components, and the
 * image. It pushes nothing. A failure before the commit leaves the checkout as it was.
 */
export async function release({ version, tested, isDry, say }: ReleaseOptions): Promise<void> {
  const notes = await checkReady(version, tested);
  say(`${version} can be released`);
  if (isDry) return say(planOf(version, tested));
  if (tested === undefined) run('npm', ['test']);
  const folder = join(root, '.local', 'release', version);
  await mkdir(folder, { recursive: true });
  try {
    await writeVersion(version);
    await writeFile(join(folder, 'notes.md'), `# Relata ${version}\n\n${notes}`);
    run(process.execPath, ['infra/images/sbom.ts', join(folder, 'sbom.cdx.json')], {
      SOURCE_DATE_EPOCH: epochOf('HEAD'),
    });
    git('commit', '--quiet', '--all', '--message', `release: ${version}`);
  } catch (error) {
    git('restore', '--staged', '--worktree', '.');
    throw error;
  }
  git('tag', '--annotate', tagOf(version), '--cleanup=verbatim', '--message', `Relata ${version}\n\n${notes}`);
  say(`notes.md and sbom.cdx.json are in ${folder}`);
  buildImage(version, say);
  say(`Publish it: git push origin HEAD ${tagOf(version)}, then push the image relata:${version} to your registry.`);
}

const tagOf = (version: string) => `v${version}`;

/** Throws unless everything is in place; returns the notes of the release. */
async function checkReady(version: string, tested: string | undefined): Promise<string> {
  const { version: present } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  checkVersion(version, present);
  const changed = git('status', '--porcelain');
  if (changed !== '') throw new Error(`The checkout has changes. Commit or remove them first:\n${changed}`);
  if (git('tag', '--list', tagOf(version)) !== '') throw new Error(`The tag ${tagOf(version)} exists already.`);
  const head = git('rev-parse', 'HEAD');
  if (tested !== undefined && tested !== head)
    throw new Error(`--tested names ${tested}, but ${head} would be released.`);
  return unreleasedEntries(await readFile(join(root, 'CHANGELOG.md'), 'utf8'));
}

function planOf(version: string, tested: string | undefined): string {
  return [
    'With --dry-run nothing is changed. A release would:',
    tested === undefined ? '- run npm test' : `- rely on the tests of ${tested}`,
    `- set the version in every package.json, the Dockerfile and the files of Kubernetes`,
    `- make the entries under Unreleased those of ${version}, and the API's description that of the last release`,
    `- write notes.md and sbom.cdx.json to .local/release/${version}`,
    `- commit, and tag ${tagOf(version)}`,
    hasDocker() ? `- build the image relata:${version}` : `- not build the image: ${noDocker}`,
  ].join('\n');
}

async function writeVersion(version: string): Promise<void> {
  const edit = async (file: string, change: (text: string) => string) =>
    writeFile(join(root, file), change(await readFile(join(root, file), 'utf8')));
  const manifests = glob(
    ['package.json', '{apps,packages,infra,bench}/package.json', '{apps,packages,infra,examples}/*/package.json'],
    {
      cwd: root,
    },
  );
  for await (const file of manifests) await edit(file, (text) => setPackageVersion(text, version));
  await edit('infra/images/Dockerfile', (text) => setImageVersion(text, version));
  const date = new Date().toISOString().slice(0, 10);
  await edit('CHANGELOG.md', (text) => moveUnreleased(text, version, date));
  run(process.execPath, ['infra/generate.ts']);
  const description = await readFile(join(root, 'docs/openapi.json'));
  await writeFile(join(root, 'docs/openapi-released.json'), description);
}

const noDocker = 'no Docker engine responds';

/** Builds the image with its labels, and with the commit's time in its files. */
function buildImage(version: string, say: (line: string) => void): void {
  const labels = {
    VERSION: version,
    REVISION: git('rev-parse', 'HEAD'),
    CREATED: git('log', '-1', '--format=%cI'),
    SOURCE_DATE_EPOCH: epochOf('HEAD'),
    ...(process.env['NODE_IMAGE'] && { NODE_IMAGE: process.env['NODE_IMAGE'] }),
  };
  const build = [
    'buildx',
    'build',
    '--file=infra/images/Dockerfile',
    `--tag=relata:${version}`,
    ...Object.entries(labels).map(([name, value]) => `--build-arg=${name}=${value}`),
    '--output=type=docker,rewrite-timestamp=true',
    '.',
  ];
  if (hasDocker()) return run('docker', build);
  say(`The image was not built: ${noDocker}. On a machine with one, at this tag:\n  docker ${build.join(' ')}`);
}

/** Returns the time of a commit in seconds. */
function epochOf(commit: string): string {
  return git('log', '-1', '--format=%ct', commit);
}
