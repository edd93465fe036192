import { readFile } from 'node:fs/promises';

const sampleEveryMs = 200;

/** Watches how much memory a process has resident. Only Linux tells; elsewhere it stays undefined. */
export class MemoryWatch implements Disposable {
  /** Most bytes seen so far. */
  maxBytes: number | undefined;
  readonly #timer: NodeJS.Timeout;

  constructor(pid: number) {
    this.#timer = setInterval(() => void this.#sample(pid), sampleEveryMs);
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
