export { describeInBrowser, findChromium, keptContexts, openBrowser } from './browser.ts';
export { startSecurePostgres } from './secure-postgres.ts';
export { type CertificateAuthority, makeAuthority } from './certificate-authority.ts';
export { describeConformance, type ConformanceTarget, expectExplained } from './conformance.ts';
export { createTestDatabase, natsUrl, type TestDatabase } from './database.ts';
export {
  exampleBody,
  type ExampleIds,
  examplePath,
  exampleReferences,
  freshPath,
  insertExamples,
  roomyBodies,
} from './example-records.ts';
export { type ApiResponse, apiClient, type ApiClient } from './api-client.ts';
export { type ModelServer, startModelServer } from './model-server.ts';
export { listen } from './listen.ts';
export { makeMemoryFolder } from './memory-folder.ts';
export { startRecordingRelay } from './recording-relay.ts';
export { readEventStream } from './event-stream.ts';
export { expectRateLimit } from './rate-limit-headers.ts';
export { startOwnNats } from './own-nats.ts';
export { startOwnPostgres } from './own-postgres.ts';
export { copyPreparedPostgres } from './prepared-postgres.ts';
export { startRefusingPostgres } from './refusing-postgres.ts';
export { type ChannelResponse, startTeamChannel, teamChannel, type TeamChannel } from './team-channel.ts';
export type { ExportedSpan } from './decode-spans.ts';
export { startTraceCollector } from './trace-collector.ts';
export { openTestProcess, type TestProcessOptions } from './test-process.ts';
export { until } from './until.ts';
export { expectWithin } from './expect-within.ts';
export { failingAtCommit } from './failing-at-commit.ts';
