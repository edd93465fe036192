export { customActivity, type CustomActivity } from './custom-activity.ts';
export { apiGuide } from './description/api-guide.ts';
export { type AuditType, auditTypes } from './events/audit-types.ts';
export type { Event } from './events/event.schema.ts';
export { type EventsQuery, isEventType, recordTypes, streamHeaders } from './events/events.ts';
export { isEtagList, noEtagList } from './fields/etag-list.ts';
export { isRecord } from './fields/is-record.ts';
export { instant } from './fields/instant.ts';
export { nilId } from './fields/path-id.ts';
export { bigint, integer, type NumberColumn, numberColumnOf, numeric } from './fields/numbers.ts';
export { duplicateEntriesMax, duplicateIdsMax } from './lists/duplicates.ts';
export {
  type FilterOperator,
  type ListFilter,
  listFilters,
  type ListSpec,
  searchParameter,
  sortsOf,
} from './lists/list-spec.ts';
export { searchWords } from './lists/search-words.ts';
export {
  type BaseSpec,
  type ConsoleSpec,
  declaredErrors,
  type OperationInput,
  type OperationOutput,
  type OperationSpec,
  takesIfMatch,
} from './operation.ts';
export {
  chatOperations,
  type DeclaredResource,
  recordsOperations,
  type resourceOperations,
  resources,
} from './operations.ts';
export type { RecordOf, Resource } from './resource.ts';
export * from './resources/index.ts';
export { flagConflicts } from './resources/stage.ts';
export { requestHeaderBytesMax } from './request-headers.ts';
export { type BatchKind, batchItemsMax, deleteItem, itemsPerRequest, updateItem } from './writes/batch.ts';
export { conflictingFields } from './writes/conflicting-fields.ts';
export { onSeveral } from './writes/upsert.ts';
export type { WriteQuery } from './writes/write.schema.ts';
export { type Scope, ScopeName, scopeNames, scopes } from './scopes.ts';
export { Self } from './self.ts';
export type { TrashEntry, TrashQuery } from './trash/trash.ts';
export {
  countCharacters,
  emailAddress,
  longText,
  isStorable,
  isUuid,
  shortText,
  nameText,
  problem,
  uuid,
} from './fields/text.ts';
