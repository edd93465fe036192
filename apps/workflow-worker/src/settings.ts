import { channelSettings } from '@relata/channel';
import { outboundAllowSetting } from '@relata/outbound';
import {
  consoleSettings,
  databaseSettings,
  idempotencySettings,
  messagingSettings,
  retentionSettings,
  serviceSettings,
  trashSettings,
  integerSetting,
} from '@relata/runtime';
import { notifySettings, secretsSettings } from '@relata/secrets/settings';

export const settings = {
  ...serviceSettings,
  ...databaseSettings,
  ...messagingSettings,
  ...channelSettings,
  ...secretsSettings,
  ...notifySettings,
  ...consoleSettings,
  ...idempotencySettings,
  ...trashSettings,
  OUTBOUND_ALLOW: outboundAllowSetting,
  WORKER_CONCURRENCY: integerSetting(
    1,
    1_000,
    16,
    'Concurrency of one worker. With 16: 64 runs in shared transactions, 4 separate writes, 256 outstanding HTTP calls. One organization has at most half of each.',
  ),
  WORKER_LEASE_MS: integerSetting(
    1_000,
    600_000,
    30_000,
    'Validity of a lease. If a worker does not renew it in this time, other workers take its runs.',
  ),
  NATS_STREAM_REPLICAS: integerSetting(
    1,
    5,
    1,
    'Copies of the stream of runs, each on another server of the NATS cluster.',
  ),
  ...retentionSettings,
};
