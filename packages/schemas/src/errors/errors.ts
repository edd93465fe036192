import { z } from 'zod';

/** Every error of the REST API: its code on the wire, its status, what it means and a message that it comes with. */
export const errors = {
  validation_error: {
    status: 400,
    description: 'The request does not follow the rules; `details` names every problem.',
    example: '1 field is invalid.',
  },
  invalid_json: {
    status: 400,
    description: 'The body is not JSON in UTF-8.',
    example: 'The body is not valid JSON: a value was expected (line 1, column 6).',
  },
  unauthorized: {
    status: 401,
    description: 'The API key is missing, malformed, unknown, expired or revoked.',
    example: 'The API key is missing or not valid. Send it as X-Api-Key or Authorization: Bearer.',
  },
  forbidden: {
    status: 403,
    description: 'The API key lacks the scope that the message names, or may not be used from this origin.',
    example: 'The API key lacks the scope records:read.',
  },
  not_found: {
    status: 404,
    description: 'No such route, or no such record in the organization of the key.',
    example: 'There is no such record.',
  },
  method_not_allowed: {
    status: 405,
    description: 'The path exists, the method does not; `Allow` lists those that do.',
    example: 'Allowed: GET, POST, HEAD.',
  },
  conflict: {
    status: 409,
    description: 'The request contradicts the present state.',
    example: 'What the record refers to is changing. Try again.',
  },
  ambiguous_match: {
    status: 409,
    description: 'Several records match, and none was changed: `candidate_ids` are up to ten of `candidate_count`.',
    example: '3 accounts match: name the one that is meant by its id.',
  },
  already_exists: {
    status: 409,
    description: 'A record matches, and only a new one was wanted: `candidate_ids` are up to ten of `candidate_count`.',
    example: 'A record matches already.',
  },
  batch_aborted: {
    status: 409,
    description: 'An item of an atomic batch is at fault: `results` names it. Nothing was done.',
    example: 'Item 3 is at fault. Nothing was done.',
  },
  idempotency_in_progress: {
    status: 409,
    description:
      'A request with the same `Idempotency-Key` is being carried out; try again after `Retry-After` seconds.',
    example: 'A request with this Idempotency-Key is in progress. Try again.',
  },
  cursor_expired: {
    status: 410,
    description: 'The event that `after` names is kept no longer; `oldest_cursor` leads to the oldest one that is.',
    example: 'The event is kept no longer. Go on from `oldest_cursor`: events between may be missed.',
  },
  precondition_failed: {
    status: 412,
    description: 'The record is no version that `If-Match` names; `ETag` is that of the present one. Nothing was done.',
    example: 'The record has changed since; its ETag is another one.',
  },
  payload_too_large: {
    status: 413,
    description: 'The body is larger than 1 MB (1,048,576 bytes).',
    example: 'The body is larger than 1,048,576 bytes.',
  },
  unsupported_media_type: {
    status: 415,
    description: 'The body is not `application/json` in UTF-8.',
    example: 'Send application/json in UTF-8.',
  },
  idempotency_key_reused: {
    status: 422,
    description:
      'Another request came with the same `Idempotency-Key` before: that of `first_request_id`. Nothing was done.',
    example: 'This Idempotency-Key was used for another request.',
  },
  rate_limited: {
    status: 429,
    description: 'Too many requests; `Retry-After` says when to come back, in seconds.',
    example: 'Too many requests. Try again in 12 s.',
  },
  internal_error: {
    status: 500,
    description: 'A fault of the service. The request id finds it in the log.',
    example: 'Something went wrong on our side.',
  },
  upstream_error: {
    status: 502,
    description: 'A system behind the service refused, or could not be reached.',
    example: 'Your request is kept, but the team could not be told of it yet.',
  },
  service_unavailable: {
    status: 503,
    description: 'The service cannot answer right now: try again after `Retry-After` seconds.',
    example: 'The service cannot answer right now. Try again.',
  },
} as const satisfies Record<string, { status: number; description: string; example: string }>;

export type ErrorCode = keyof typeof errors;

/** What can be wrong with one field. */
export const detailCodes = [
  'required',
  'invalid_type',
  'invalid_format',
  'invalid_enum',
  'too_short',
  'too_long',
  'too_many',
  'out_of_range',
  'unknown_field',
  'null_not_allowed',
  'invalid_reference',
  'invalid_cursor',
  'conflicting_parameters',
] as const;

export type DetailCode = (typeof detailCodes)[number];

export const ErrorDetail = z
  .object({
    in: z.enum(['body', 'query', 'path', 'header']).meta({ description: 'The part of the request.' }),
    field: z.string().meta({ description: 'The field, dotted where nested (`tags.0`); empty for the whole part.' }),
    code: z.enum(detailCodes).meta({ description: 'Machine-readable; never changes.' }),
    message: z.string().meta({ description: 'For people; may change.' }),
  })
  .meta({ id: 'ErrorDetail', description: 'One problem of a request.' });

export type ErrorDetail = z.output<typeof ErrorDetail>;

export const ErrorBody = z
  .object({
    error: z.string().meta({ description: 'Machine-readable code; never changes.' }),
    message: z.string().meta({ description: 'For people; may change.' }),
    details: z.array(ErrorDetail).optional().meta({ description: 'Every problem at once, for `validation_error`.' }),
    request_id: z.string().meta({ description: 'The value of `X-Request-Id`.' }),
  })
  .meta({ id: 'Error', description: 'The body of every error.' });

export type ErrorBody = z.output<typeof ErrorBody>;
