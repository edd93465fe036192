import { readFile } from 'node:fs/promises';

const sampleEveryMs = 200;

/** Samples the resident memory of some processes. Only Linux provides it. */
export class MemoryWatch implements Disposable {
  /** Maximum resident memory of a single process so far, in bytes. Undefined if the system does not provide it. */
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

/** Returns the resident memory of a process at this moment; undefined if the system does not provide it. */
export async function residentBytes(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1_024;
}
