import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unreleasedEntries, versionEntries } from './changelog.ts';
import { releaseSubject } from './commit.ts';
import { git, gitStatus, root } from './commands.ts';
import { checkVersion } from './version.ts';

export interface Ready {
  branch: string;
  head: string;
  notes: string;
  /** True if the commit of this release is checked out: an earlier attempt made it and then failed. */
  isCommitted: boolean;
}

export const tagOf = (version: string) => `v${version}`;

/** Throws if the release cannot be made from this checkout. */
export async function checkReady(version: string, tested: string | undefined): Promise<Ready> {
  const { version: present } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  checkVersion(version, present);
  const branch = git('branch', '--show-current');
  if (branch === '') throw new Error('No branch is checked out. Switch to the branch of releases: git switch main');
  const head = git('rev-parse', 'HEAD');
  checkUnchanged(head);
  const isCommitted = git('log', '-1', '--format=%s') === releaseSubject(version);
  checkTag(version, isCommitted ? head : undefined);
  // The commit of a release differs from the tested commit only by the version.
  if (!isCommitted && tested !== undefined && tested !== head)
    throw new Error(`--tested names ${tested}, but ${head} would be released.`);
  const changelog = await readFile(join(root, 'CHANGELOG.md'), 'utf8');
  return {
    branch,
    head,
    isCommitted,
    notes: isCommitted ? versionEntries(changelog, version) : unreleasedEntries(changelog),
  };
}

/** Throws if the checkout has changes, or if `head` is no longer checked out. */
export function checkUnchanged(head: string): void {
  const changed = git('status', '--porcelain');
  if (changed !== '') throw new Error(`The checkout has changes. Commit or remove them first:\n${changed}`);
  const now = git('rev-parse', 'HEAD');
  if (now !== head) throw new Error(`${now} is checked out now, not ${head}, which was tested. Start again.`);
}

/** Throws if the tag exists here or at the origin, unless it belongs to the commit. */
function checkTag(version: string, commit: string | undefined): void {
  const tag = tagOf(version);
  const isHere = git('tag', '--list', tag) !== '';
  if (isHere && git('rev-parse', `${tag}^{commit}`) !== commit) throw new Error(`The tag ${tag} exists already.`);
  if (!git('remote').split('\n').includes('origin')) return;
  const [status, listed] = gitStatus('ls-remote', '--tags', 'origin', tag, `${tag}^{}`);
  if (status !== 0) throw new Error(`The tags of origin cannot be read. Check the connection: git ls-remote origin`);
  const isThere = listed !== '';
  if (isThere && !listed.includes(commit ?? '\0')) throw new Error(`The tag ${tag} exists already at origin.`);
}
