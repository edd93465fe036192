export { AppRoleError } from './migrate/app-role.ts';
export { type Database, openDatabase } from './connections/database.ts';
export { inSlots } from './connections/slot-db.ts';
export { firstIdAt, newId } from './ids.ts';
export type { OrganizationDb } from './connections/organization-database.ts';
export type { OnStatement } from './connections/statement-runner.ts';
export {
  awaitSchema,
  checkReachable,
  checkSchema,
  compareSchema,
  schemaLevel,
  SchemaVersionError,
} from './migrate/schema-version.ts';
export { Statistics } from './statistics.ts';
export { binaryStatement, type Db, type Statement, statement } from './statement.ts';
export { isoTimestamp } from './connections/types.ts';
export {
  brokenForeignKey,
  isContended,
  isInDoubt,
  isPassing,
  isTlsFault,
  isUnavailable,
  serverMessage,
} from './unavailable.ts';
export { ask, type Gathered, isShared, type SharedDb } from './shared/gathered.ts';
export { LockedError, lockTexts } from './shared/advisory-lock.sql.ts';
export { type Member, RolledBackError, together } from './shared/shared-transaction.ts';
export { SharedTransactions, transactionOf } from './shared/shared-transactions.ts';
