import pg from 'pg';

/** Maximum number of connections that are being opened at the same time, apart from the first one. */
const openingMax = 2;

/** Pause after a connection could not be opened, while the pool has other connections. */
const failedRestMs = 500;
/** Timers may fire a millisecond early. */
const roundingMs = 5;

type Done = (error: Error | undefined, client: pg.PoolClient | undefined, release: (error?: unknown) => void) => void;

/**
 * A pool that opens its connections a few at a time. Opening a connection costs the server and this process several
 * milliseconds of CPU; most statements cost about one. In a burst, waiting statements get the first connection that
 * becomes free, whether it was in use or is new. pg's own pool opens a connection for each waiting statement, which can
 * use no other and fails if the server refuses it.
 */
export class GrowingPool extends pg.Pool {
  readonly #max: number;
  #opening = 0;
  #restsUntil = 0;

  constructor(config: pg.PoolConfig & { max: number }) {
    // With a higher maximum the parent class would open connections itself. With 1, it opens one only if the pool has
    // none.
    super({ ...config, max: 1 });
    this.#max = config.max;
    this.on('remove', () => this.#growIfAwaited());
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(done: Done): void;
  override connect(done?: Done): Promise<pg.PoolClient> | void {
    if (this.totalCount > 0) {
      if (this.idleCount === 0) this.#grow();
      // Idle connections are handed to waiting callers in the next tick.
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

  /** Opens a connection and releases it, which hands it to the first waiting caller. */
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
