export { AppRoleError } from './migrate/app-role.ts';
export { retryWhileLocked, lockTimeoutMs } from './migrate/retry-while-locked.ts';
export { type Database, type DatabaseOptions, openDatabase } from './connections/database.ts';
export { readServerAddress, type ServerAddress } from './connections/server-address.ts';
export { inSlots, transactionsInSlots } from './connections/slot-db.ts';
export { firstIdAt, newId } from './ids.ts';
export { batchBytes, batchRows, eachOrganization, inBatches, upToBytes } from './in-batches.ts';
export type { OrganizationDb, ScanDb } from './connections/organization-database.ts';
export type { OnStatement } from './connections/statement-runner.ts';
export {
  awaitSchema,
  checkReachable,
  checkSchema,
  compareNames,
  compareSchema,
  runsOnNewer,
  schemaLevel,
  SchemaVersionError,
} from './migrate/schema-version.ts';
export { analyzeGrownTables } from './statistics.ts';
export {
  binaryStatement,
  type Db,
  findValueWith,
  findWith,
  firstRow,
  listWith,
  onlyRow,
  readWith,
  plannedStatement,
  preparedName,
  type Statement,
  statement,
} from './statement.ts';
export { isoTimestamp } from './connections/types.ts';
export {
  brokenForeignKey,
  isContended,
  isInDoubt,
  isDatabaseOutage,
  isTransient,
  isTlsFault,
  isUnavailable,
  serverMessage,
} from './unavailable.ts';
export { locked, LockedError, oneByOne, type SharedStatement } from './units/shared-statement.ts';
export { RolledBackError, runTogether, type UnitWork } from './units/shared-transaction.ts';
export {
  dropOldResponses,
  eraseResponses,
  type StoredResponse,
  type IdempotentRequest,
} from './idempotent-writes/idempotency-key.sql.ts';
export { type IdempotentOutcome, IdempotentWrites, type Written } from './idempotent-writes/idempotent-writes.ts';
export { Executor, type ExecutorOptions, type Policy } from './units/executor.ts';
export {
  type OwnTransactionOptions,
  type Attempt,
  mapUnit,
  UnfinishedError,
  type Unit,
  unitRunnerOf,
  type UnitRunner,
} from './units/unit.ts';
export { StandaloneUnitDb, type UnitDb } from './units/unit-db.ts';
