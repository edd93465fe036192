export { customActivity, type CustomActivity } from './custom-activity.ts';
export { type DetailCode, detailCodes } from './errors/detail-codes.ts';
export {
  ConsoleErrorBody,
  ErrorBody,
  errorBody,
  type ErrorData,
  ErrorDetail,
  errorsPath,
} from './errors/error-body.ts';
export { type ErrorCode, errors } from './errors/errors.ts';
export { apiGuide } from './description/api-guide.ts';
export { AppError, detailsMax, invalidReferences, scopeMissing, validationError } from './errors/app-error.ts';
export { AnswerVote, ChatRequest, conversationCharactersMax, textOf } from './chat/chat.ts';
export { DemoRequest } from './chat/demo-request.ts';
export { type AuditType, auditTypes } from './events/audit-types.ts';
export type { Event } from './events/event.schema.ts';
export { type EventsQuery, isEventType, streamHeaders } from './events/events.ts';
export { isRecord } from './fields/is-record.ts';
export { didYouMean } from './errors/closest-name.ts';
export { instant } from './fields/instant.ts';
export { findJsonFault, lineAndColumn, linePosition } from './errors/json-fault.ts';
export {
  type BaseSpec,
  type ConsoleSpec,
  errorsOf,
  type OperationInput,
  type OperationOutput,
  type OperationSpec,
} from './operation.ts';
export {
  chatOperations,
  type DeclaredResource,
  recordsOperations,
  type resourceOperations,
  resources,
} from './operations.ts';
export type { FieldValue } from './fields/field.ts';
export type { RecordOf, Resource } from './resource.ts';
export * from './resources/index.ts';
export { type BatchKind, batchItemsMax, itemsPerRequest, updateItem } from './writes/batch.ts';
export type { WriteQuery } from './writes/write.schema.ts';
export { type Scope, ScopeName, scopeNames, scopes } from './scopes.ts';
export { Self } from './self.ts';
export {
  countCharacters,
  emailText,
  freeText,
  isStorable,
  isUuid,
  lineText,
  nameText,
  problem,
  uuid,
} from './fields/text.ts';
export { detailsOf, type ReadPart, readPart } from './errors/validation.ts';
