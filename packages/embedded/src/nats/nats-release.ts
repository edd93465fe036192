import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Context for fetching the program from a source. */
export interface Fetching {
  /** An empty folder that is deleted afterwards. */
  workDir: string;
  onProgress: (line: string) => void;
  signal: AbortSignal | undefined;
}

const run = promisify(execFile);

const releases = 'https://github.com/nats-io/nats-server/releases/download';
const version = 'v2.12.15';
const sha256: Record<string, string> = {
  'linux-amd64': '58ab8131f819263897e2fc38e503e1b755b63bcafeecc7d12582487df48ca15e',
  'linux-arm64': 'b724db99fefbf8f5c808baa82819ee50350aee9734017e4a478f7e545cef3ab6',
};
const responseTimeoutMs = 10_000;
const downloadTimeoutMs = 120_000;
const bytesMax = 64 * 1024 * 1024;

/** Downloads the pinned release and returns the path of its program. Throws if its SHA-256 differs. */
export async function downloadRelease({ workDir, onProgress, signal }: Fetching): Promise<string> {
  const platform = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
  const expected = sha256[platform];
  if (!expected) throw new Error(`no nats-server release is pinned for ${platform}`);
  onProgress(`downloading nats-server ${version}`);
  const name = `nats-server-${version}-${platform}`;
  const archive = await download(`${releases}/${version}/${name}.tar.gz`, signal);
  const found = createHash('sha256').update(archive).digest('hex');
  if (found !== expected) throw new Error(`the downloaded nats-server is not the pinned release (SHA-256 ${found})`);
  await writeFile(join(workDir, 'release.tar.gz'), archive);
  await run('tar', ['-xzf', 'release.tar.gz', `${name}/nats-server`], { cwd: workDir });
  return join(workDir, name, 'nats-server');
}

async function download(url: string, stop: AbortSignal | undefined): Promise<Buffer> {
  const giveUp = new AbortController();
  const timer = setTimeout(() => giveUp.abort(new Error('no answer in time')), responseTimeoutMs);
  try {
    const signal = AbortSignal.any([giveUp.signal, AbortSignal.timeout(downloadTimeoutMs), ...(stop ? [stop] : [])]);
    const response = await fetch(url, { signal });
    clearTimeout(timer);
    if (!response.ok) throw new Error(`status ${response.status}`);
    return await readAtMost(response);
  } catch (cause) {
    throw new Error(`the release of nats-server could not be downloaded (${reason(cause)})`, { cause });
  } finally {
    clearTimeout(timer);
  }
}

async function readAtMost(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) throw new Error(`more than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

// The message of fetch is only "fetch failed"; its cause has the reason.
function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
