import { openDatabase } from '@relata/db';
import { Messaging } from '@relata/messaging';
import { createLog, createMetrics } from '@relata/runtime';
import { natsUrl, patience } from './database.ts';

/** Generous timeout, because a busy machine can stall for seconds. */
const natsTimeoutMs = 60_000;

export interface TestProcessOptions {
  /** URL of a NATS server, for tests in which it is unreachable or stopped. The default is that of the test run. */
  natsUrl?: string | undefined;
  /** Prefix of the process's NATS subjects, so that tests on a shared server never get each other's messages. */
  prefix?: string | undefined;
  /** List to which each line of the log is added. Without it, the process logs nothing. */
  logLines?: string[] | undefined;
}

/** Opens the connections that a process needs at its start, to the database of a test. The stack closes them. */
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
