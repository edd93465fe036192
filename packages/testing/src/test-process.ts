import { openDatabase } from '@relata/db';
import { Messaging } from '@relata/messaging';
import { createLog, createMetrics } from '@relata/runtime';
import { natsUrl, patience } from './database.ts';

/** An upper limit, not the expected time: a busy machine may stand still for seconds. */
const natsTimeoutMs = 60_000;

export interface TestProcessOptions {
  /** URL of a NATS server that is missing, or that the test stops; by default that of the test run. */
  natsUrl?: string | undefined;
  /** Prefix of its subjects, so that tests on a shared server never get each other's messages. */
  prefix?: string | undefined;
  /** Receives its log line by line; if omitted, it logs nothing. */
  logLines?: string[] | undefined;
}

/** Opens everything that a process opens before it starts, on the database of a test. The stack closes all of it. */
export async function openTestProcess(name: string, databaseUrl: string, options: TestProcessOptions = {}) {
  const { logLines, prefix } = options;
  const stack = new AsyncDisposableStack();
  const database = stack.use(openDatabase({ url: databaseUrl, name, ...patience }));
  const messaging = stack.use(
    new Messaging({ url: options.natsUrl ?? natsUrl(), name, ...(prefix !== undefined && { prefix }) }),
  );
  const destination = { write: (line: string) => void logLines?.push(line) };
  const log = createLog({ name, level: logLines ? 'info' : 'silent', destination });
  if (options.natsUrl === undefined) await messaging.connected(natsTimeoutMs);
  return { stack, database, messaging, log, metrics: createMetrics(name) };
}
