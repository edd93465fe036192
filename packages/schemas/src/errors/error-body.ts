import { z } from 'zod';
import { PermissionName } from '../console/shared/permissions.ts';
import { DefinitionFault } from '../console/shared/workflow.schema.ts';
import { ScopeName } from '../scopes.ts';
import { detailCodes } from './detail-codes.ts';
import type { ErrorCode } from './errors.ts';

export const ErrorDetail = z
  .object({
    in: z
      .enum(['body', 'query', 'path', 'header'])
      .meta({ description: 'The part of the request that has the problem.' }),
    field: z
      .string()
      .meta({ description: 'Path of the field (`tags.0` if nested); empty if the problem concerns the whole part.' }),
    code: z.enum(detailCodes).meta({ description: 'Machine-readable; never changes.' }),
    message: z.string().meta({ description: 'For people; may change.' }),
    allowed: z.array(z.string()).optional().meta({
      description: 'Allowed values of the field, or known names.',
    }),
    suggestion: z.string().optional().meta({ description: 'The name that you probably meant.' }),
    merged_into: z
      .string()
      .optional()
      .meta({ format: 'uuid', description: 'The record into which the named record was merged.' }),
  })
  .meta({ id: 'ErrorDetail', description: 'One problem of a request.' });

export type ErrorDetail = z.output<typeof ErrorDetail>;

const ids = z.array(z.string().meta({ format: 'uuid' }));

/** Values that the message of an error mentions, as structured fields of the body. */
const errorData = {
  required_scopes: z
    .array(ScopeName)
    .optional()
    .meta({ description: 'Scopes that the request needs; the key lacks at least one of them.' }),
  allowed: z.array(z.string()).optional().meta({ description: 'Methods, media types or encodings that are accepted.' }),
  line: z.int().optional().meta({ description: 'Line of the first syntax error in the JSON, starting at 1.' }),
  column: z.int().optional().meta({ description: 'Column of the error, starting at 1.' }),
  body_bytes: z.int().optional().meta({ description: 'Maximum size of a body, in bytes.' }),
  candidate_ids: ids.max(10).optional().meta({ description: 'IDs of matching records, the oldest first.' }),
  candidate_count: z.int().optional().meta({ description: 'Number of matching records, counted up to 100.' }),
  used_by: z
    .record(z.string(), z.int())
    .optional()
    .meta({ description: 'Number of records that use the record, by kind, counted up to 10,000.' }),
  linked_count: z.int().optional().meta({ description: 'Number of linked records, counted up to 10,000.' }),
  linked_count_relation: z.literal('gte').optional().meta({ description: 'Present if more records are linked.' }),
  merged_into: z
    .string()
    .optional()
    .meta({ format: 'uuid', description: 'ID of the record into which this one was merged.' }),
  stale_ids: ids.optional().meta({ description: 'IDs of the records of a merge that have another version.' }),
  winner_id: z
    .string()
    .optional()
    .meta({ format: 'uuid', description: 'ID of the winner of a merge in steps that is not finished.' }),
  loser_ids: ids.optional().meta({ description: 'IDs of the losers of the unfinished merge.' }),
  trashed_id: z
    .string()
    .optional()
    .meta({ format: 'uuid', description: 'ID of a record in the trash that must be restored first.' }),
  linked_max: z.int().optional().meta({ description: 'Number of other records that a request may change.' }),
  results: z.array(z.unknown()).optional().meta({ description: 'The failed items of a batch.' }),
  first_request_id: z.string().optional().meta({ description: 'ID of the first request with this `Idempotency-Key`.' }),
  oldest_cursor: z.string().optional().meta({ description: 'The cursor of the oldest events that are kept.' }),
};

/** Fields of errors that only the console returns. */
const consoleErrorData = {
  required_permission: PermissionName.optional().meta({ description: 'The permission that the caller lacks.' }),
  newest_version: z
    .int()
    .optional()
    .meta({ description: 'The newest version of the workflow, which the new definition is not based on.' }),
  faults: z.array(DefinitionFault).optional().meta({ description: 'All faults of a definition.' }),
};

type AllErrorData = typeof errorData & typeof consoleErrorData;

export type ErrorData = { readonly [Name in keyof AllErrorData]?: Readonly<z.output<AllErrorData[Name]>> };

export const ErrorBody = z
  .object({
    error: z.string().meta({ description: 'Machine-readable code; never changes.' }),
    message: z.string().meta({ description: 'For people; may change.' }),
    doc_url: z.string().meta({
      format: 'uri-reference',
      description: 'Page of this installation that explains the error, relative to its address.',
    }),
    details: z
      .array(ErrorDetail)
      .optional()
      .meta({ description: 'The first 100 problems of the request, for `validation_error`.' }),
    request_id: z.string().meta({ description: 'The value of `X-Request-Id`.' }),
    ...errorData,
  })
  .meta({
    id: 'Error',
    description: 'The body of every error. Which of the optional fields it has depends on the error.',
  });

export type ErrorBody = z.output<typeof ErrorBody>;

export const ConsoleErrorBody = ErrorBody.extend(consoleErrorData);

/**
 * Path of the page that explains the errors. The records API serves it, at the address that it shares with the chat.
 */
export const errorsPath = '/docs/errors';

interface AnsweredError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: ErrorDetail[] | undefined;
  readonly data?: ErrorData | undefined;
}

export function errorBody({ code, message, details, data }: AnsweredError, requestId: string): ErrorBody {
  const body = { error: code, message, doc_url: `${errorsPath}#${code}`, request_id: requestId } as ErrorBody;
  if (details) body.details = details;
  return data ? Object.assign(body, data) : body;
}
