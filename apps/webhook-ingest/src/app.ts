import { KeyUses } from '@relata/auth';
import { checkReachable } from '@relata/db';
import { addHealth, createServiceApp, type ShutdownState, createIpReader, SharedLimit } from '@relata/http';
import type { Log, Metrics, RateLimit } from '@relata/runtime';
import type { EncryptionKeys } from '@relata/secrets';
import type { Backends } from '@relata/service/backends';
import { DeliveryStore } from './deliveries/delivery-store.ts';
import { KnownRepeats } from './deliveries/known-repeats.ts';
import { measureIngest } from './ingest.metrics.ts';
import { receiveRoute } from './receive.route.ts';
import { refuse } from './refusal.ts';
import { RefusalLog } from './refusals/refusal-log.ts';
import { challengeRoute, refusedMethodRoute } from './signed/challenge.route.ts';
import { SecretUsageRecorder } from './triggers/secret-usage-recorder.ts';
import { TriggerCache } from './triggers/trigger-cache.ts';

export interface IngestApp extends Backends {
  log: Log;
  metrics: Metrics;
  stack: AsyncDisposableStack;
  draining: ShutdownState;
  rateLimit: RateLimit;
  signingKeys?: EncryptionKeys | undefined;
  proxies?: number;
  /** Maximum size of a body from a sender of a known kind, in bytes. */
  signedBytesMax: number;
  /** Replaces the store, so that the receiver can be measured without the database. */
  store?: Pick<DeliveryStore, 'add' | 'waiting'>;
}

export function createIngestApp(opened: IngestApp) {
  const { database, messaging, log, metrics, stack, draining, rateLimit, proxies = 0, signedBytesMax } = opened;
  const onError = (error: unknown) => log.warn({ err: error }, 'could not write when keys and secrets were last used');
  const triggers = new TriggerCache({ db: database, messaging, log, signingKeys: opened.signingKeys });
  const keyUses = stack.use(new KeyUses(database, onError));
  const secretUsage = stack.use(new SecretUsageRecorder(database, onError));
  const refusals = stack.use(new RefusalLog({ db: database, log }));
  const limit = rateLimit && stack.use(new SharedLimit('webhook', rateLimit, messaging));
  const ingestMetrics = measureIngest(metrics, () => store.waiting);
  const store = opened.store ?? new DeliveryStore({ db: database, messaging, metrics: ingestMetrics });
  const answerError: typeof refuse = (exchange, error) => {
    ingestMetrics.refused(error);
    refuse(exchange, error);
  };
  return createServiceApp({ log, metrics, draining, proxies, refuse: answerError }, (app) => {
    addHealth(app, { draining, check: () => checkReachable(database) });
    const ipOf = createIpReader(proxies);
    const shared = { triggers, refuse: answerError, refusals, ipOf };
    const repeats = new KnownRepeats({ db: database, metrics: ingestMetrics });
    const receive = receiveRoute({ ...shared, keyUses, secretUsage, limit, signedBytesMax, store, repeats });
    app.route('/webhooks/trigger/:triggerId').post(receive).get(challengeRoute(shared)).all(refusedMethodRoute(shared));
  });
}
