export { Batcher, QueueFullError } from './batcher.ts';
export { unsetEmptyVariables } from './environment.ts';
export { FairQueue } from './fair-queue.ts';
export { ReadersLeftError, CoalescedReads } from './coalesced-reads.ts';
export { createLog, type Log } from './log.ts';
export { Counter, createMetrics, Gauge, Histogram, type Metrics, serveMetrics } from './metrics.ts';
export { poolThreads } from './pool-threads.ts';
export { type Party, Shares } from './shares.ts';
export { RestingTurn } from './resting-turn.ts';
export { type LongestWait, Slots } from './slots.ts';
export { Turns } from './turns.ts';
export {
  databaseSettings,
  messagingSettings,
  migrationSettings,
  parseDurationMs,
  type RateLimit,
  rateLimitSetting,
  readSettings,
  serviceSettings,
  type Settings,
  SettingsError,
  type SettingsShape,
} from './settings.ts';
export { unlessAborted } from './unless-aborted.ts';
