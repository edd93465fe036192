import { execFile } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Fetching } from './nats-release.ts';

const run = promisify(execFile);
const commandTimeoutMs = 120_000;

/** Unpacks the distribution's own nats-server package, without installing it, and returns the program's path. */
export async function unpackDebianPackage(fetching: Fetching): Promise<string> {
  const { workDir, onProgress } = fetching;
  onProgress("fetching the distribution's nats-server package");
  try {
    await apt(fetching, ['download', 'nats-server']);
  } catch {
    await refreshListsAndDownload(fetching);
  }
  const archive = (await readdir(workDir)).find((name) => name.endsWith('.deb'));
  if (!archive) throw new Error('apt-get downloaded no package');
  await run('dpkg', ['-x', archive, 'unpacked'], { cwd: workDir });
  return join(workDir, 'unpacked', 'usr', 'sbin', 'nats-server');
}

// The package lists of a fresh container are empty, and only root can fill them. Our own lists need no root and leave
// those of the system unchanged.
async function refreshListsAndDownload(fetching: Fetching): Promise<void> {
  const { workDir, onProgress } = fetching;
  const state = join(workDir, 'state');
  const cache = join(workDir, 'cache');
  await mkdir(join(state, 'lists', 'partial'), { recursive: true });
  await mkdir(join(cache, 'archives', 'partial'), { recursive: true });
  const places = ['-o', `Dir::State=${state}`, '-o', `Dir::Cache=${cache}`];
  onProgress('refreshing the package lists');
  await apt(fetching, [...places, 'update']);
  await apt(fetching, [...places, 'download', 'nats-server']);
}

// apt drops root for its downloads, and its own user may be unable to enter the folder.
async function apt({ workDir, signal }: Fetching, args: string[]): Promise<void> {
  const asRoot = process.getuid?.() === 0 ? ['-o', 'APT::Sandbox::User=root'] : [];
  try {
    await run('apt-get', ['-qq', ...asRoot, ...args], { cwd: workDir, timeout: commandTimeoutMs, signal });
  } catch (cause) {
    const said = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : '';
    throw new Error(`apt-get could not fetch nats-server${said ? `: ${said}` : ''}`, { cause });
  }
}
