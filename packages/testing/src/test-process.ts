import { openDatabase } from '@relata/db';
import { Messaging } from '@relata/messaging';
import { createLog, createMetrics } from '@relata/runtime';
import { natsUrl } from './database.ts';

export interface TestProcessOptions {
  /** Of a server that is not there, or that the test stops; the tests' own unless given. */
  natsUrl?: string | undefined;
  /** Of its subjects, so that tests which share a server never get each other's messages. */
  prefix?: string | undefined;
  /** Where its log goes, line by line; else it logs nothing. */
  logLines?: string[] | undefined;
}

/** What every process opens before it starts, on the database of a test. The stack closes all of it. */
export async function openTestProcess(name: string, databaseUrl: string, options: TestProcessOptions = {}) {
  const { logLines, prefix } = options;
  const stack = new AsyncDisposableStack();
  const database = stack.use(openDatabase({ url: databaseUrl, name, connectTimeoutMs: 1_000 }));
  const messaging = stack.use(
    new Messaging({ url: options.natsUrl ?? natsUrl(), name, ...(prefix !== undefined && { prefix }) }),
  );
  const destination = { write: (line: string) => void logLines?.push(line) };
  const log = createLog({ name, level: logLines ? 'info' : 'silent', destination });
  if (options.natsUrl === undefined) await messaging.connected(2_000);
  return { stack, database, messaging, log, metrics: createMetrics(name) };
}
