import pg from 'pg';

/** So many connections are opened at once beside the first. */
const openingMax = 2;

/** After one could not be opened, no other is for so long while some are open. */
const failedRestMs = 1_000;

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
    super(config);
    this.#max = config.max;
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(done: Done): void;
  override connect(done?: Done): Promise<pg.PoolClient> | void {
    if (this.totalCount === 0) this.options.max = 1;
    else if (this.idleCount === 0) this.#grow();
    // What is idle is handed to those that wait in the next tick.
    else if (this.idleCount <= this.waitingCount) process.nextTick(this.#growIfAwaited);
    return done ? super.connect(done) : super.connect();
  }

  readonly #growIfAwaited = (): void => {
    if (this.waitingCount > 0 && this.idleCount === 0) this.#grow();
  };

  #grow(): void {
    if (this.#mayOpen()) this.#open();
    // The pool is full then, so that everything is queued. When there is no connection left, the first in the queue opens one.
    this.options.max = Math.max(1, this.totalCount - this.#opening);
  }

  #mayOpen(): boolean {
    if (this.ending || this.#opening >= openingMax || this.totalCount >= this.#max) return false;
    return performance.now() >= this.#restsUntil;
  }

  /** Opens a connection and releases it, which hands it to the first in the queue. */
  #open(): void {
    this.#opening++;
    this.options.max = this.totalCount + 1;
    super.connect((error, _client, release) => {
      this.#opening--;
      if (error) this.#restsUntil = performance.now() + failedRestMs;
      else release();
      this.#growIfAwaited();
    });
  }
}
