import { configuredChannel } from '@relata/channel';
import { analyzeGrownTables, checkReachable } from '@relata/db';
import { addHealth, createServiceApp, ShutdownState, serve } from '@relata/http';
import type { ServiceContext, Started } from '@relata/service';
import { openBackends } from '@relata/service/backends';
import { startWorker } from './app.ts';
import type { settings } from './settings.ts';
import { measureRetention } from './worker/retention.metrics.ts';
import { readOverdue, startRetention } from './worker/retention.ts';

export async function start(context: ServiceContext<typeof settings>): Promise<Started> {
  const { settings: given, stack, log, metrics } = context;
  const channel = configuredChannel(given);
  const { database, messaging } = await openBackends(context, { streamReplicas: given.NATS_STREAM_REPLICAS });
  stack.use(analyzeGrownTables(database, log));
  const { RETENTION_DAYS: deliveryDays, EVENT_DAYS: eventDays, TRASH_DAYS: trashDays } = given;
  const days = { deliveryDays, eventDays, trashDays };
  stack.use(
    startRetention({
      database,
      log,
      onSuccess: measureRetention(metrics, () => readOverdue(database, days)),
      ...days,
      idempotencyHours: given.IDEMPOTENCY_HOURS,
    }),
  );
  startWorker({
    ...context,
    database,
    messaging,
    concurrency: given.WORKER_CONCURRENCY,
    leaseMs: given.WORKER_LEASE_MS,
    // Interrupted runs must still be released before the process is killed. This time begins after STOP_DRAIN_MS, and
    // the sum of both must be less than STOP_TIMEOUT_MS.
    stopGraceMs: given.STOP_TIMEOUT_MS / 2,
    outboundAllow: given.OUTBOUND_ALLOW,
    secretKeys: given.SECRETS_KEY,
    notifyKeys: given.NOTIFY_KEYS,
    consoleUrl: given.CONSOLE_URL,
    channel,
  });
  const draining = new ShutdownState();
  const app = createServiceApp({ ...context, draining, proxies: given.TRUST_PROXY }, (routes) =>
    addHealth(routes, { draining, check: () => checkReachable(database) }),
  );
  // The server is disposed of first, so the worker still claims runs for `STOP_DRAIN_MS`.
  return stack.use(await serve(app, { host: given.HOST, port: given.PORT, draining, drainMs: given.STOP_DRAIN_MS }));
}
