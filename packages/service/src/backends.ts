import { awaitSchema, type Database, openDatabase, schemaLevel } from '@relata/db';
import { Messaging } from '@relata/messaging';
import { Counter, type databaseSettings, Gauge, type messagingSettings, type Metrics } from '@relata/runtime';
import manifest from '../package.json' with { type: 'json' };
import type { ServiceContext } from './service.ts';
import { measureStatements } from './statement.metrics.ts';

export interface Backends {
  database: Database;
  messaging: Messaging;
}

type Needs = typeof databaseSettings & typeof messagingSettings;

/** Opens PostgreSQL and NATS for a service. Waits for the database. Throws if this release cannot run on its schema. */
export async function openBackends(
  { name, settings, log, metrics, stack, stopping }: ServiceContext<Needs>,
  more: { streamReplicas?: number } = {},
): Promise<Backends> {
  const database = stack.use(
    openDatabase({
      name,
      log,
      onStatement: measureStatements(metrics),
      url: settings.DATABASE_URL,
      poolMax: settings.DATABASE_POOL_MAX,
      scansMax: settings.DATABASE_SCANS_MAX,
      statementTimeoutMs: settings.DATABASE_STATEMENT_TIMEOUT_MS,
      connectTimeoutMs: settings.DATABASE_CONNECT_TIMEOUT_MS,
    }),
  );
  const messaging = stack.use(
    new Messaging({ name, log, url: settings.NATS_URL, prefix: settings.NATS_PREFIX, ...more }),
  );
  measureBackends({ database, messaging }, metrics);
  await awaitSchema(database, { log, signal: stopping });
  return { database, messaging };
}

/**
 * Adds the metrics that operators look at first: the release, whether requests wait for a connection, and whether NATS
 * is connected.
 */
export function measureBackends({ database, messaging }: Backends, metrics: Metrics): void {
  void new Gauge({
    name: 'database_connections',
    help: 'Connections to PostgreSQL: open, idle, and requests that wait for a connection.',
    labelNames: ['state'],
    registers: [metrics],
    collect() {
      for (const [state, count] of Object.entries(database.pressure())) this.set({ state }, count);
    },
  });
  void new Counter({
    name: 'database_waits_total',
    help: 'Statements and transactions that had to wait for their share of the connections to PostgreSQL.',
    registers: [metrics],
    collect() {
      this.reset();
      this.inc(database.waited());
    },
  });
  void new Gauge({
    name: 'relata_info',
    help: 'Always 1; the labels are the release of this process and the last migration of its schema.',
    labelNames: ['version', 'schema'],
    registers: [metrics],
    collect() {
      this.set({ version: manifest.version, schema: schemaLevel }, 1);
    },
  });
  void new Gauge({
    name: 'nats_connected',
    help: '1 if connected to NATS, otherwise 0.',
    registers: [metrics],
    collect() {
      this.set(messaging.isConnected ? 1 : 0);
    },
  });
}
