import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { findOrganizationName } from '@relata/auth';
import { type Channel, createChannel } from '@relata/channel';
import { EventNotifier } from '@relata/events';
import { Notifier } from '@relata/notify';
import { createOutbound, createOutboundGuard, DnsLookups, type OutboundAllow } from '@relata/outbound';
import type { Backends } from '@relata/service/backends';
import type { Log, Metrics } from '@relata/runtime';
import { readSecrets, type EncryptionKeys } from '@relata/secrets';
import type { Reach } from './steps/network-steps.ts';
import { measureWorker } from './worker/worker.metrics.ts';
import { Worker } from './worker/worker.ts';

export interface WorkerApp extends Backends {
  log: Log;
  metrics: Metrics;
  stack: AsyncDisposableStack;
  concurrency: number;
  /** Maximum memory for the definitions and values of all runs together, in bytes; 64 MiB by default. */
  memoryBytes?: number;
  leaseMs: number;
  stopGraceMs: number;
  outboundAllow: OutboundAllow;
  channel: Parameters<typeof createChannel>[0] | undefined;
  secretKeys: EncryptionKeys | undefined;
  notifyKeys: EncryptionKeys | undefined;
  consoleUrl: string | undefined;
  /** Minimum time in ms between two messages to a team about the same cause; an hour by default. */
  quietMs?: number;
}

/** Starts a worker. It works until the stack is disposed of. */
export function startWorker(opened: WorkerApp): Worker {
  const { database, messaging, metrics, stack, outboundAllow, secretKeys } = opened;
  const eventNotifier = stack.use(new EventNotifier(messaging));
  const lookups = new DnsLookups();
  const outbound = stack.use(createOutbound({ allow: outboundAllow, userAgent: 'Relata/0.1', lookups }));
  const channel: Channel | undefined = opened.channel && createChannel(opened.channel);
  const name = `${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`;
  const reach: Reach = {
    outbound,
    channel,
    organizationName: async (orgId) => (await findOrganizationName(database.of(orgId), orgId)) ?? orgId,
    readSecrets: (orgId, names) => readSecrets(database, orgId, names, secretKeys),
  };
  const worker = new Worker({ ...opened, metrics: measureWorker(metrics), reach, name, eventNotifier });
  // Notifies the teams of organizations about failures, independently of the runs.
  const guard = createOutboundGuard(outboundAllow, lookups);
  const notifier = new Notifier({ ...opened, keys: opened.notifyKeys, guard });
  // Both stop at the same time, since each may need seconds to finish its work.
  stack.defer(async () => void (await Promise.all([worker, notifier].map((each) => each[Symbol.asyncDispose]()))));
  worker.start();
  notifier.start();
  return worker;
}
