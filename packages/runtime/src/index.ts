export { Batcher, type BatcherOptions, outageWaitMs, QueueFullError } from './batches/batcher.ts';
export { emptyVariables, poolThreads, unsetEmptyVariables } from './settings/environment.ts';
export { FairQueue } from './shares/fair-queue.ts';
export { CoalescedReads } from './batches/coalesced-reads.ts';
export { abortWhenAllLeft, type WaitingCaller, DisconnectedError } from './batches/waiting-caller.ts';
export { createLog, type Log } from './log.ts';
export { Loop, type Round } from './loop.ts';
export { Counter, createMetrics, Gauge, Histogram, type Metrics, serveMetrics } from './metrics.ts';
export { backoff, jittered, pause } from './pause.ts';
export { Recent } from './recent.ts';
export { RecentOrganizations } from './shares/recent-organizations.ts';
export { type Party, Shares } from './shares/shares.ts';
export { type LongestWait, Slots } from './shares/slots.ts';
export { Turns } from './shares/turns.ts';
export {
  consoleSettings,
  databaseSettings,
  idempotencySettings,
  messagingSettings,
  migrationSettings,
  originSetting,
  parseDurationMs,
  publicSettings,
  type RateLimit,
  rateLimitSetting,
  readSettings,
  retentionSettings,
  serviceSettings,
  type Settings,
  SettingsError,
  type SettingsShape,
  trashSettings,
} from './settings/settings.ts';
export { telemetrySettings } from './settings/telemetry.settings.ts';
export { integerSetting } from './settings/integer-setting.ts';
export { tryEach } from './try-each.ts';
export { unlessAborted } from './unless-aborted.ts';
