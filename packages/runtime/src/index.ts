export { type AppContext, runApp } from './app.ts';
export { Batcher, QueueFullError } from './batcher.ts';
export { nodeEnvironment, nodeOptions, nodeOptionsOf } from './node-options.ts';
export { JoinedReads } from './joined.ts';
export { createLog, type Log } from './log.ts';
export { Counter, createMetrics, Gauge, Histogram, type Metrics } from './metrics.ts';
export {
  databaseSettings,
  messagingSettings,
  parseDurationMs,
  type RateLimit,
  rateLimitSetting,
  readSettings,
  serviceSettings,
  type Settings,
  SettingsError,
  type SettingsShape,
} from './settings.ts';
