import { ShutdownState, serve } from '@relata/http';
import { notifySettings } from '@relata/secrets';
import { createTestDatabase, openTestProcess, type TestDatabase } from '@relata/testing';
import { createConsoleApp, type ConsoleApp } from './app.ts';

const dayMs = 86_400_000;

export type ConsoleOptions = Partial<
  Pick<
    ConsoleApp,
    | 'bundle'
    | 'consoleUrl'
    | 'publicUrl'
    | 'proxies'
    | 'signingKeys'
    | 'notifyKeys'
    | 'span'
    | 'changeStreams'
    | 'guessWaitMs'
  >
> & {
  /** Array to which the console's log lines are added. */
  logLines?: string[];
  /** Defaults to any free port. */
  port?: number;
};

/** Keys that encrypt the channels of organizations. */
export const notifyKeys = notifySettings.NOTIFY_KEYS.parse(Buffer.alloc(32, 1).toString('hex'))!;

export interface TestConsole extends AsyncDisposable {
  url: string;
  db: TestDatabase;
  /** Starts another console on the same database, like a second replica. */
  startReplica(options?: ConsoleOptions): Promise<{ url: string } & AsyncDisposable>;
}

/** Starts the real console over HTTP, on its own database. */
export async function startTestConsole({ port = 0, ...options }: ConsoleOptions = {}): Promise<TestConsole> {
  await using stack = new AsyncDisposableStack();
  const db = stack.use(await createTestDatabase());
  const startReplica = (more: ConsoleOptions = {}) => openReplica(db.url, { ...options, ...more });
  const { url } = stack.use(await startReplica({ port }));
  const opened = stack.move();
  return { url, db, startReplica, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

async function openReplica(databaseUrl: string, { logLines, port = 0, ...options }: ConsoleOptions) {
  const opened = await openTestProcess('console', databaseUrl, { logLines });
  const draining = new ShutdownState();
  const app = createConsoleApp({
    ...opened,
    draining,
    checksOutputs: true,
    bundle: undefined,
    consoleUrl: undefined,
    publicUrl: undefined,
    proxies: 0,
    trashDays: 30,
    span: { idleMs: 7 * dayMs, maxMs: 30 * dayMs },
    ...options,
  });
  const { url } = opened.stack.use(await serve(app, { host: '127.0.0.1', port, draining, drainMs: 1 }));
  return { url, [Symbol.asyncDispose]: () => opened.stack.disposeAsync() };
}
