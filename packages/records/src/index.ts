export { findRecord, givenFields } from './record.sql.ts';
export { RecordLookups } from './record-lookups.ts';
export { keyDetails, validateCreate, validateUpdate } from './table/record-fields.ts';
export { lockForMany, lockRows } from './writes/record-change.sql.ts';
export { createRecord, insertRecords, newRow } from './writes/create-record.ts';
export type { Patch } from './writes/patch.ts';
export { patchRecord, type Upserted } from './writes/patch-record.ts';
export { createUnit, deleteUnit, mergeUnit, patchUnit, restoreUnit, upsertUnit } from './writes/record-units.ts';
export { type Match, readMatch } from './matches/record-match.ts';
export { findMatches, findOne } from './matches/record-match.sql.ts';
export { listRecords, type Page } from './lists/record-page.sql.ts';
export { type ListQuery, RecordLists } from './lists/record-lists.ts';
export type { Summary, SummaryQuery } from './lists/summary.sql.ts';
export {
  type DuplicateGroup,
  type Duplicates,
  type DuplicatesQuery,
  findDuplicates,
} from './duplicates/duplicates.sql.ts';
export { showRecord } from './lists/shown-page.ts';
export { recordName } from './table/record-name.ts';
export type { RecordTable } from './table/record-table.ts';
export { newFields } from './writes/additions.ts';
export { readValues } from './writes/read-values.ts';
export {
  upsertKeys,
  newUpsert,
  readUpsert,
  type Upsert,
  type UpsertInput,
  type UpsertMode,
  upsertRecord,
} from './writes/upsert-record.ts';
export { type Restore, type Restored, restoreRecord } from './trash/restore-record.ts';
export { shownEntry } from './trash/trash-entry.ts';
export { findTrashEntry, listTrash } from './trash/trash-list.sql.ts';
export { findOverdueTrash, purgeTrash } from './trash/trash-retention.sql.ts';
export { missingRecord } from './trash/missing-record.ts';
export { eraseBounds, erasureMeta, eraseUnit } from './erase/erase-record.ts';
export { findKnownTexts } from './erase/known-texts.sql.ts';
export type { EraseBounds, Erased } from './erase/erase-progress.ts';
export type { Erasure } from './erase/erase-pass.ts';
export { deletionMeta } from './trash/deletion-meta.ts';
export { mergeInSteps } from './merge/merge-in-steps.ts';
export type { Merge } from './merge/merge-records.ts';
export { LinkBudget } from './trash/linked-limit.ts';
export { type Deleted, deleteRecord, type Deletion } from './trash/delete-record.ts';
export { locksFor } from './links/referring.sql.ts';
export { findMissingDetails } from './writes/reference.sql.ts';
export { eventSelection } from './events/event-selection.ts';
export { shownEvent } from './events/shown-event.ts';
export { buildIndexes, type BuiltIndexes, dropIndex } from './indexes/build-indexes.ts';
export { IndexCatalog } from './indexes/index-catalog.ts';
export { missingComparisonDetails, missingIndexDetails, workingFilters } from './indexes/missing-indexes.ts';
export { type IndexState, type IndexStatus, readIndexStates } from './indexes/list-index.sql.ts';
export { type ListIndex, listIndexes } from './indexes/list-index.ts';
export { recordTables } from './record-tables.ts';
export { renamePipeline } from './pipelines/rename-pipeline.ts';
export { orderStagesUnit } from './stages/order-stages.ts';
export { removeUnit } from './settings/remove-setting.ts';
export { createPipeline, createStage, createUser } from './settings/setting.operations.ts';
export { createUserIn, updateUserIn } from './users/user.operations.ts';
export * from './tables.ts';
