import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openDatabase } from '@relata/db';
import { Messaging } from '@relata/messaging';
import { runService, type ServiceContext, type Started } from '@relata/service';
import { createIngestApp } from '@relata/webhook-ingest/app';
import { service } from '@relata/webhook-ingest/service';

// The floor: Relata's receiver with a store that keeps nothing. It shows the cost of a delivery without its storage.

const { settings } = service;

await runService({ name: 'floor', settings, load: () => Promise.resolve({ start }) });

async function start(context: ServiceContext<typeof settings>): Promise<Started> {
  const { name, settings: given, log, metrics, stack } = context;
  const database = stack.use(openDatabase({ name, log, url: given.DATABASE_URL }));
  const messaging = stack.use(new Messaging({ name, log, url: given.NATS_URL, prefix: given.NATS_PREFIX }));
  const store = { add: () => Promise.resolve(), waiting: 0 };
  const draining = { isDraining: false, stopping: new AbortController() };
  const opened = { database, messaging, log, metrics, stack, store, draining };
  const app = createIngestApp({
    ...opened,
    rateLimit: given.WEBHOOK_RATE_LIMIT,
    signedBytesMax: given.SIGNED_BODY_MAX,
  });
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000, keepAliveTimeout: 65_000 }, app);
  await new Promise<void>((resolve) => server.listen({ host: given.HOST, port: given.PORT, backlog: 1_024 }, resolve));
  stack.defer(() => server.closeAllConnections());
  stack.defer(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
