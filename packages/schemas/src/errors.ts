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
export {
  AppError,
  detailsMax,
  noSuchRecord,
  notAnId,
  orNotFound,
  scopeMissing,
  validationError,
} from './errors/app-error.ts';
export { invalidCursor, unsupportedFilter, unsupportedSort } from './lists/list-problems.ts';
export { didYouMean } from './errors/closest-name.ts';
export { withExactNumbers } from './json/exact-numbers.ts';
export { findJsonFault, lineAndColumn, linePosition } from './json/find-json-fault.ts';
export { JsonFaultError } from './json/json-fault.ts';
export { isLargeJson, readInSlices } from './json/read-in-slices.ts';
export { type JsonBounds, JsonReader, type JsonReaderOptions } from './json/json-reader.ts';
export { toErrorDetails, type ReadPart, readPart } from './errors/validation.ts';
