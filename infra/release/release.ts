import { join } from 'node:path';
import { commitRelease, writeReleaseFiles } from './commit.ts';
import { git, hasDocker, root, run } from './commands.ts';
import { buildImage, noDocker } from './image.ts';
import { checkReady, checkUnchanged, type Ready, tagOf } from './ready.ts';

export interface ReleaseOptions {
  version: string;
  /** Commit whose tests have passed elsewhere, such as in CI. Without it, the tests run first. */
  tested?: string | undefined;
  isDry: boolean;
  say: (line: string) => void;
}

/**
 * Makes a release of the checked-out commit: a commit with the version, a tag, notes, the list of components, and the
 * image. It pushes nothing. A failure before the commit leaves the checkout as it was; after it, the same command
 * continues.
 */
export async function release({ version, tested, isDry, say }: ReleaseOptions): Promise<void> {
  const ready = await checkReady(version, tested);
  const { branch, head, notes, isCommitted } = ready;
  say(`${version} can be released from the branch ${branch}`);
  if (isDry) return say(planOf(version, tested, ready));
  const folder = join(root, '.local', 'release', version);
  if (isCommitted) await writeReleaseFiles(version, notes, folder, 'HEAD^');
  else {
    if (tested === undefined) run('npm', ['test']);
    // The tests take minutes. Somebody may have edited a file in the meantime.
    checkUnchanged(head);
    await commitRelease(version, notes, folder);
  }
  if (git('tag', '--list', tagOf(version)) === '')
    git('tag', '--annotate', tagOf(version), '--cleanup=verbatim', '--message', `Relata ${version}\n\n${notes}`);
  say(`notes.md and sbom.cdx.json are in ${folder}`);
  buildImage(version, say);
  say(
    `Publish it: git push origin ${branch} ${tagOf(version)}, then push the image relata:${version} to your registry.`,
  );
}

function planOf(version: string, tested: string | undefined, { isCommitted }: Ready): string {
  const files = `- write notes.md and sbom.cdx.json to .local/release/${version}`;
  const commit = [
    tested === undefined ? '- run npm test' : `- rely on the tests of ${tested}`,
    `- set the version in every package.json, the Dockerfile and the files of Kubernetes`,
    `- move the entries under Unreleased to ${version}, and store the API's description as that of the last release`,
    files,
    `- commit, and tag ${tagOf(version)}`,
  ];
  return [
    'With --dry-run nothing is changed. A release would:',
    ...(isCommitted ? [files, `- continue after its commit: tag ${tagOf(version)}, if that is missing`] : commit),
    hasDocker() ? `- build the image relata:${version}` : `- not build the image: ${noDocker}`,
  ].join('\n');
}
