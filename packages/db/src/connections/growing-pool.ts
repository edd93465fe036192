import pg from 'pg';

/** So many connections are opened at once beside the first. */
const openingMax = 2;

/** After one could not be opened, no other is for so long while some are open. */
const failedRestMs = 500;
/** Timers may end a millisecond early. */
const roundingMs = 5;

type Done = (error: Error | undefined, client: pg.PoolClient | undefined, release: (error?: unknown) => void) => void;

/**
 * A pool that opens its connections a few at a time. To open one takes the server and this process several milliseconds
 * of processor, and a statement mostly one: in a burst, those that find no idle connection wait for whichever is free
 * first, one that was in use or a new one. pg's own pool opens a connection for each of them and binds it to that, so that
 * all wait until all are open, and fail where the server refuses more.
 */
export class GrowingPool extends pg.Pool {
  readonly #max: number;
  #opening = 0;
  #restsUntil = 0;

  constructor(config: pg.PoolConfig & { max: number }) {
    // With more the parent would open connections by itself. Only where there is none is one opened by who needs it.
    super({ ...config, max: 1 });
    this.#max = config.max;
    this.on('remove', () => this.#growIfAwaited());
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(done: Done): void;
  override connect(done?: Done): Promise<pg.PoolClient> | void {
    if (this.totalCount > 0) {
      if (this.idleCount === 0) this.#grow();
      // What is idle is handed to those that wait in the next tick.
      else if (this.idleCount <= this.waitingCount) process.nextTick(this.#growIfAwaited);
    }
    return done ? super.connect(done) : super.connect();
  }

  readonly #growIfAwaited = (): void => {
    if (this.waitingCount > 0 && this.idleCount === 0) this.#grow();
  };

  #grow(): void {
    if (this.ending || this.#opening >= openingMax || this.totalCount >= this.#max) return;
    if (performance.now() >= this.#restsUntil) this.#open();
  }

  /** Opens a connection and releases it, which hands it to the first in the queue. */
  #open(): void {
    this.#opening++;
    this.options.max = this.totalCount + 1;
    super.connect((error, _client, release) => {
      this.#opening--;
      if (error) this.#rest();
      else release();
      this.#growIfAwaited();
    });
    this.options.max = 1;
  }

  #rest(): void {
    this.#restsUntil = performance.now() + failedRestMs;
    setTimeout(this.#growIfAwaited, failedRestMs + roundingMs).unref();
  }
}
