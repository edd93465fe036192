export { findRecord, insertRecords, newRow } from './record.sql.ts';
export { RecordLookups } from './record-lookups.ts';
export { keyDetails, validateCreate, validateUpdate } from './table/record-fields.ts';
export { lockRows } from './writes/record-change.sql.ts';
export { type Patch, RecordChanges } from './writes/record-changes.ts';
export { RecordInserts } from './writes/record-inserts.ts';
export { RecordUpserts } from './writes/record-upserts.ts';
export { type Match, readMatch } from './matches/record-match.ts';
export { findMatches, findOne } from './matches/record-match.sql.ts';
export { listRecords, type Page, type PageQuery } from './lists/record-page.sql.ts';
export { RecordLists } from './lists/record-lists.ts';
export type { RecordTable } from './table/record-table.ts';
export {
  keysOf,
  newUpsert,
  readUpsert,
  type Upsert,
  type Upserted,
  type UpsertMode,
  upsertRecord,
} from './writes/record-upsert.sql.ts';
export { createRecordIn, updateRecordIn } from './writes/record-write.sql.ts';
export { explainForeignKey, missingReferencesOf } from './writes/reference.sql.ts';
export { eventSelection } from './events/event-selection.ts';
export { shownEvent } from './events/shown-event.ts';
export { recordTables } from './record-tables.ts';
export { createPipeline } from './pipelines/pipeline.operations.ts';
export { createStage } from './stages/stage.operations.ts';
export { createUser, createUserIn, updateUserIn } from './users/user.operations.ts';
export * from './tables.ts';
