import { awaitSchema, openDatabase } from '@relata/db';
import { Draining, serve } from '@relata/http';
import { Messaging } from '@relata/messaging';
import { runApp } from '@relata/runtime';
import { createRecordsApp } from './app.ts';
import { settings } from './settings.ts';

const name = 'records-api';

await runApp({
  name,
  settings,
  async start({ settings: given, log, metrics, stack, stopping }) {
    const database = stack.use(
      openDatabase({
        name,
        log,
        url: given.DATABASE_URL,
        poolMax: given.DATABASE_POOL_MAX,
        statementTimeoutMs: given.DATABASE_STATEMENT_TIMEOUT_MS,
        connectTimeoutMs: given.DATABASE_CONNECT_TIMEOUT_MS,
      }),
    );
    const messaging = stack.use(new Messaging({ name, log, url: given.NATS_URL }));
    await awaitSchema(database, { log, signal: stopping });
    const draining = new Draining();
    const checksAnswers = given.NODE_ENV !== 'production';
    const rateLimit = given.API_RATE_LIMIT;
    const app = createRecordsApp({ database, messaging, log, metrics, stack, draining, rateLimit, checksAnswers });
    const address = { host: given.HOST, port: given.PORT, draining, drainMs: given.STOP_DRAIN_MS };
    return stack.use(await serve(app, address));
  },
});
