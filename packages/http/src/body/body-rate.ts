/** Minimum rate of a body: 20 KiB, or the rest of the body, must arrive in every window of 5 ticks of 1 s. */
const windowTicks = 5;
const windowBytes = 20_480;
const tickMs = 1_000;

/** The body arrived too slowly or not at all. It is answered with 408, and the connection ends. */
export class RequestTimeoutError extends Error {
  override name = 'RequestTimeoutError';
}

/** A body that is being read. */
export class ArrivingBody {
  readonly chunks: Buffer[] = [];
  bytes = 0;
  readonly #onSlow: (error: RequestTimeoutError) => void;
  #ticks = 0;
  #bytesBefore = 0;

  constructor(onSlow: (error: RequestTimeoutError) => void) {
    this.#onSlow = onSlow;
  }

  add(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.bytes += chunk.length;
  }

  whole(): Buffer {
    return this.chunks.length === 1 ? this.chunks[0]! : Buffer.concat(this.chunks, this.bytes);
  }

  /**
   * Checks the rate every five ticks of the timer. It counts ticks instead of time, because received data may wait to
   * be read while the process is busy.
   */
  tick(): void {
    if (++this.#ticks < windowTicks) return;
    if (this.bytes - this.#bytesBefore < windowBytes)
      return this.#onSlow(new RequestTimeoutError('The body did not arrive in time.'));
    this.#ticks = 0;
    this.#bytesBefore = this.bytes;
  }
}

const arriving = new Set<ArrivingBody>();
let timer: NodeJS.Timeout | undefined;

/** Enforces the minimum rate of a body until `unwatchBodyRate`. One timer serves all bodies in progress. */
export function watchBodyRate(body: ArrivingBody): void {
  arriving.add(body);
  timer ??= setInterval(tickAll, tickMs).unref();
}

export function unwatchBodyRate(body: ArrivingBody): void {
  if (!arriving.delete(body) || arriving.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}

function tickAll(): void {
  for (const body of arriving) body.tick();
}
