import { readFile } from 'node:fs/promises';

const sampleEveryMs = 200;

/** Watches how much memory each of some processes has resident. Only Linux tells; elsewhere it stays undefined. */
export class MemoryWatch implements Disposable {
  /** Most bytes that any of them was seen with so far. */
  maxBytes: number | undefined;
  readonly #timer: NodeJS.Timeout;

  constructor(...pids: number[]) {
    this.#timer = setInterval(() => {
      for (const pid of pids) void this.#sample(pid);
    }, sampleEveryMs);
  }

  async #sample(pid: number): Promise<void> {
    const bytes = await residentBytes(pid);
    if (bytes !== undefined) this.maxBytes = Math.max(this.maxBytes ?? 0, bytes);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

/** What a process has resident right now; undefined where that is not known. */
export async function residentBytes(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1_024;
}
