import { z } from 'zod';

/** Every error of the REST API: its code on the wire, its status and what it tells the caller. */
export const errors = {
  validation_error: {
    status: 400,
    description: 'The request does not follow the rules; `details` names every problem.',
  },
  invalid_json: { status: 400, description: 'The body is not JSON in UTF-8.' },
  unauthorized: { status: 401, description: 'The API key is missing, malformed, unknown, expired or revoked.' },
  forbidden: {
    status: 403,
    description: 'The API key lacks the scope that the message names, or may not be used from this origin.',
  },
  not_found: { status: 404, description: 'No such route, or no such record in the organization of the key.' },
  method_not_allowed: {
    status: 405,
    description: 'The path exists, the method does not; `Allow` lists those that do.',
  },
  conflict: { status: 409, description: 'The request contradicts the present state.' },
  payload_too_large: { status: 413, description: 'The body is larger than 1 MB (1,048,576 bytes).' },
  unsupported_media_type: { status: 415, description: 'The body is not `application/json` in UTF-8.' },
  rate_limited: { status: 429, description: 'Too many requests; `Retry-After` says when to come back, in seconds.' },
  internal_error: { status: 500, description: 'A fault of the service. The request id finds it in the log.' },
  upstream_error: { status: 502, description: 'A system behind the service refused, or could not be reached.' },
  service_unavailable: {
    status: 503,
    description: 'The service cannot answer right now: try again after `Retry-After` seconds.',
  },
} as const satisfies Record<string, { status: number; description: string }>;

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
  .meta({
    id: 'Error',
    description: 'The body of every error.',
    examples: [
      {
        error: 'validation_error',
        message: '1 field is invalid.',
        details: [{ in: 'body', field: 'email', code: 'invalid_format', message: 'Must be an email address.' }],
        request_id: '019a1b2c-0000-7000-8000-000000000000',
      },
    ],
  });

export type ErrorBody = z.output<typeof ErrorBody>;
