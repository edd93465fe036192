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
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
    if (kilobytes) this.maxBytes = Math.max(this.maxBytes ?? 0, Number(kilobytes) * 1_024);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
