import { constants } from 'node:fs';
import { access, chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { unpackDebianPackage } from './debian-package.ts';
import { downloadRelease, type Fetching } from './nats-release.ts';

export interface FindNatsOptions {
  /** Folder for a fetched server. */
  binDir: string;
  onProgress?: (line: string) => void;
  signal?: AbortSignal;
}

const program = 'nats-server';

/** Finds a nats-server on the PATH or in `binDir`; otherwise fetches it into `binDir`. */
export async function findNatsServer({ binDir, onProgress = () => {}, signal }: FindNatsOptions): Promise<string> {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter).filter(Boolean), binDir];
  for (const folder of folders) {
    const candidate = join(folder, program);
    if (await isExecutable(candidate)) return candidate;
  }
  return fetchInto(binDir, { onProgress, signal });
}

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

// Each caller works in its own folder and renames the result at the end. Two concurrent callers do the work twice, but
// neither gets an incomplete program.
async function fetchInto(binDir: string, context: Omit<Fetching, 'workDir'>): Promise<string> {
  await mkdir(binDir, { recursive: true });
  const workDir = await mkdtemp(join(binDir, 'fetching-'));
  try {
    const fetched = await fetchFromAnySource({ workDir, ...context });
    await chmod(fetched, 0o755);
    await rename(fetched, join(binDir, program));
    return join(binDir, program);
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

async function fetchFromAnySource(fetching: Fetching): Promise<string> {
  const reasons: string[] = [];
  for (const source of [downloadRelease, unpackDebianPackage]) {
    try {
      return await source(fetching);
    } catch (error) {
      fetching.signal?.throwIfAborted();
      reasons.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new Error(
    'No nats-server was found on the PATH, and none could be fetched. Install one ' +
      '(its package is called nats-server in Debian, Ubuntu and Homebrew), or set NATS_URL to a server with JetStream.' +
      reasons.map((reason) => `\n  - ${reason}`).join(''),
  );
}
