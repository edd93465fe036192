import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { moveUnreleased, unreleasedEntries } from './changelog.ts';
import { root } from './commands.ts';
import { checkVersion } from './version.ts';

let clone: string;
const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
const git = (...args: string[]) => execFileSync('git', [...author, ...args], { cwd: clone, encoding: 'utf8' }).trim();
const read = (file: string) => readFileSync(join(clone, file), 'utf8');

/** Runs the program of the clone, on a machine without Docker and with these programs first in the path. */
const release = (...args: string[]) => releaseWith({}, ...args);

function releaseWith(programs: Record<string, string>, ...args: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'relata-programs-'));
  for (const [name, script] of Object.entries(programs))
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const identity = { GIT_AUTHOR_NAME: 'Test', GIT_AUTHOR_EMAIL: 'test@example.com' };
  const committer = { GIT_COMMITTER_NAME: 'Test', GIT_COMMITTER_EMAIL: 'test@example.com' };
  const env = { ...process.env, ...identity, ...committer, DOCKER_HOST: 'tcp://127.0.0.1:1' };
  const path = `${folder}:${process.env['PATH']}`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['infra/release/main.ts', ...args], {
    cwd: clone,
    env: { ...env, PATH: path },
    encoding: 'utf8',
  });
  rmSync(folder, { recursive: true });
  return { status, stdout, stderr };
}

function listChange(): void {
  const changed = read('CHANGELOG.md').replace('## [Unreleased]\n', '## [Unreleased]\n\n### Added\n\n- One change.\n');
  writeFileSync(join(clone, 'CHANGELOG.md'), changed);
  git('commit', '--quiet', '--all', '--message', 'changelog: list a change');
}

beforeAll(async () => {
  clone = mkdtempSync(join(tmpdir(), 'relata-release-'));
  // Clones what is checked out, including its changes: git stash create makes a commit of them, if there are any.
  const commit = execFileSync('git', ['stash', 'create'], { cwd: root, encoding: 'utf8' }).trim() || 'HEAD';
  execFileSync('git', ['clone', '--quiet', '--no-tags', '--no-checkout', root, clone]);
  execFileSync('git', ['fetch', '--quiet', root, commit], { cwd: clone });
  git('checkout', '--quiet', '-B', 'releases', 'FETCH_HEAD');
  for await (const folder of glob(['node_modules', '*/node_modules', '{apps,packages,infra,examples}/*/node_modules'], {
    cwd: root,
  }))
    symlinkSync(join(root, folder), join(clone, folder));
  writeFileSync(join(clone, '.git/info/exclude'), 'node_modules\n');
  // Adds an entry, because the changelog of a released commit has no entries for the next release.
  listChange();
});
afterAll(() => rmSync(clone, { recursive: true, force: true }));

test('a dry run says what a release would do, and changes nothing (found D5)', () => {
  const { status, stdout } = release('9.8.7', '--dry-run');
  expect(stdout).toMatch(/^9\.8\.7 can be released from the branch releases\n.*nothing is changed/);
  expect(stdout).toContain('- run npm test');
  expect(stdout).toContain('- not build the image: no Docker engine responds');
  expect({ status, changed: git('status', '--porcelain'), tags: git('tag') }).toEqual({
    status: 0,
    changed: '',
    tags: '',
  });
});

test('a release that cannot be made is refused with the reason (found D5)', () => {
  writeFileSync(join(clone, 'left-over.txt'), '');
  expect(release('9.8.7')).toMatchObject({ status: 1, stderr: expect.stringContaining('?? left-over.txt') });
  rmSync(join(clone, 'left-over.txt'));
  const other = 'a'.repeat(40);
  expect(release('9.8.7', '--tested', other).stderr).toContain(`--tested names ${other}`);
  expect(release('0.0.1').stderr).toContain('0.0.1 is older than');
  expect(release('next').stderr).toContain('The version must be like 1.2.3');
  expect(release().stderr).toContain('Usage: npm run release');
});

test('a release is a commit with the version everywhere, a tag with the notes, and the list of components (found D5)', () => {
  const entries = unreleasedEntries(read('CHANGELOG.md'));
  const { status, stdout, stderr } = release('9.8.7', '--tested', git('rev-parse', 'HEAD'));
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(git('log', '-1', '--format=%s')).toBe('release: 9.8.7');
  expect(git('status', '--porcelain')).toBe('');
  expect(git('tag', '--points-at', 'HEAD')).toBe('v9.8.7');
  expect(git('tag', '--list', '--format=%(contents)', 'v9.8.7')).toContain(entries.trim());
  for (const file of ['package.json', 'packages/service/package.json', 'infra/testbed/package.json'])
    expect(JSON.parse(read(file)), file).toMatchObject({ version: '9.8.7' });
  expect(read('infra/images/Dockerfile')).toContain('ARG VERSION=9.8.7\n');
  expect(read('infra/kubernetes/base/console.yaml')).toContain('image: relata:9.8.7');
  expect(read('docs/openapi-released.json')).toBe(read('docs/openapi.json'));
  expect(read('CHANGELOG.md')).toMatch(/^## \[Unreleased\]\n\n## \[9\.8\.7\] - \d{4}-\d\d-\d\d\n\n### /m);
  expect(read('.local/release/9.8.7/notes.md')).toBe(`# Relata 9.8.7\n\n${entries}`);
  expect(JSON.parse(read('.local/release/9.8.7/sbom.cdx.json'))).toMatchObject({ bomFormat: 'CycloneDX' });
  expect(stdout).toContain('The image was not built: no Docker engine responds.');
  expect(stdout).toContain('--build-arg=VERSION=9.8.7');
  expect(stdout).toContain('git push origin releases v9.8.7');
  expect(release('9.9.0').stderr).toContain('lists nothing under Unreleased');
});

test('a release that ended after its commit continues with the tag and the image', () => {
  const commit = git('rev-parse', 'HEAD');
  git('tag', '--delete', 'v9.8.7');
  // A different checkout has none of these files.
  const files = ['notes.md', 'sbom.cdx.json'].map((name) => join('.local/release/9.8.7', name));
  const before = files.map(read);
  rmSync(join(clone, '.local'), { recursive: true });
  expect(release('9.8.7', '--dry-run').stdout).toContain('- continue after its commit: tag v9.8.7');
  const fails = { docker: 'test "$1" = version' };
  const failed = releaseWith(fails, '9.8.7');
  expect(failed.stderr).toMatch(
    /^docker buildx build .* ended with 1\.\n.*Build the image again with:\n {2}docker buildx/,
  );
  expect(releaseWith({ docker: 'exit 0' }, '9.8.7')).toMatchObject({ status: 0, stderr: '' });
  expect(git('rev-parse', 'HEAD', 'v9.8.7^{commit}')).toBe(`${commit}\n${commit}`);
  expect(git('tag', '--list', '--format=%(contents)', 'v9.8.7')).toMatch(/^Relata 9\.8\.7\n\n### Added/);
  expect(files.map(read)).toEqual(before);
});

test('a version that is tagged elsewhere is refused', () => {
  const origin = mkdtempSync(join(tmpdir(), 'relata-origin-'));
  execFileSync('git', ['clone', '--quiet', '--bare', clone, origin]);
  git('remote', 'set-url', 'origin', origin);
  listChange();
  expect(release('9.8.7').stderr).toContain('The tag v9.8.7 exists already.');
  git('tag', '--delete', 'v9.8.7');
  expect(release('9.8.7').stderr).toContain('The tag v9.8.7 exists already at origin.');
  rmSync(origin, { recursive: true });
  expect(release('9.8.7').stderr).toContain('The tags of origin cannot be read.');
  git('remote', 'remove', 'origin');
});

test('edits during the tests are neither released nor lost', () => {
  const edited = releaseWith({ npm: 'echo edited >> README.md' }, '9.9.0');
  expect(edited).toMatchObject({ status: 1, stderr: expect.stringContaining('M README.md') });
  expect(read('README.md')).toMatch(/edited\n$/);
  git('restore', '.');
  const committed = releaseWith({ npm: 'git commit --quiet --allow-empty --message other' }, '9.9.0');
  expect(committed).toMatchObject({ status: 1, stderr: expect.stringContaining('which was tested. Start again.') });
  expect(git('tag', '--list', 'v9.9.0')).toBe('');
});

describe('during its commit', () => {
  beforeAll(() => {
    // The generated files are tested above.
    writeFileSync(join(clone, 'infra/generate.ts'), '');
    git('commit', '--quiet', '--all', '--message', 'generate: nothing');
  });

  test('an interrupted release leaves the checkout as it was', () => {
    const hook = join(clone, '.git/hooks/pre-commit');
    // Like Ctrl-C: the release and git get the signal.
    writeFileSync(hook, '#!/bin/sh\nkill -INT "$(ps -o ppid= -p $PPID)" $PPID\n', { mode: 0o755 });
    const { status } = release('9.9.0', '--tested', git('rev-parse', 'HEAD'));
    rmSync(hook);
    expect({ status, changed: git('status', '--porcelain') }).toEqual({ status: 1, changed: '' });
  });

  test.each([
    { when: 'the last program before the commit', words: 'log -1 --format=%ct', commits: 0 },
    { when: 'the commit', words: 'commit', commits: 1 },
  ])('a release that is interrupted during $when stops before the tag, and leaves no changes', ({ words, commits }) => {
    const head = git('rev-parse', 'HEAD');
    const real = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
    // The program that runs at the time ignores the signal.
    const interrupt = `${real} "$@"; status=$?\ncase "$*" in "${words}"*) kill -INT $PPID ;; esac\nexit $status`;
    const { status, stderr } = releaseWith({ git: interrupt }, '9.9.0', '--tested', head);
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('The release was interrupted.') });
    expect({ changed: git('status', '--porcelain'), tag: git('tag', '--list', 'v9.9.0') }).toEqual({
      changed: '',
      tag: '',
    });
    expect(git('rev-list', '--count', `${head}..HEAD`)).toBe(String(commits));
    git('reset', '--quiet', '--hard', head);
  });
});

test('a release needs a branch', () => {
  git('checkout', '--quiet', '--detach');
  expect(release('9.9.0').stderr).toContain('No branch is checked out.');
});

test('the table of upgrades names the version, and keeps its width', () => {
  const changelog = '| any → Unreleased | yes |\n| 032 → 033        | yes |\n\n## [Unreleased]\n\n- one\n';
  expect(moveUnreleased(changelog, '1.0.0', '2027-01-02')).toBe(
    '| any → 1.0.0      | yes |\n| 032 → 033        | yes |\n\n## [Unreleased]\n\n## [1.0.0] - 2027-01-02\n\n- one\n',
  );
});

test('the version must not be older than the current one', () => {
  for (const version of ['1.2.3', '1.2.4', '1.3.0', '2.0.0'])
    expect(() => checkVersion(version, '1.2.3')).not.toThrow();
  for (const version of ['1.2.2', '1.1.9', '0.9.9', '1.2', 'v1.2.3', '1.2.3-rc.1'])
    expect(() => checkVersion(version, '1.2.3')).toThrow(/is older than|must be like/);
});

test('the changelog has only the usual headings, and the next release comes before earlier ones', () => {
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const headings = [...changelog.matchAll(/^### (.*)$/gm)].map(([, heading]) => heading);
  expect(
    new Set(headings).difference(new Set(['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'])),
  ).toEqual(new Set());
  expect([...changelog.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)).toEqual([
    'Upgrades',
    '[Unreleased]',
    ...[...changelog.matchAll(/^## (\[\d.*)$/gm)].map(([, heading]) => heading),
  ]);
});
