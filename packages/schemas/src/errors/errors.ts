interface ErrorSpec {
  status: number;
  /** Cause of the error. */
  description: string;
  /** Remedy for the client. */
  action: string;
  /** An example of its message. */
  example: string;
  /** True if only the console returns the error. The description of the API leaves it out. */
  isOfConsole?: true;
  /** Structured fields of the example; `ErrorData` declares them. */
  data?: Readonly<Record<string, unknown>>;
}

const [first, second] = ['019a1b2c-0000-7000-8000-000000000001', '019a1b2c-0000-7000-8000-000000000002'];

/** All errors of the REST API and the console, by their code: the status, the cause and the remedy. */
export const errors = {
  validation_error: {
    status: 400,
    description: 'The request is invalid; `details` lists up to 100 problems.',
    action:
      'Correct the problems in `details`, and send the request again. Without `details`, the request was not ' +
      'valid HTTP or, with status 408, did not arrive in time; in this case send it again unchanged.',
    example: '1 field is invalid.',
  },
  invalid_json: {
    status: 400,
    description: 'The body is not JSON in UTF-8.',
    action: 'Correct the body at `line` and `column`, and send the request again.',
    example: 'The body is not valid JSON: a value was expected (line 1, column 6).',
    data: { line: 1, column: 6 },
  },
  unauthorized: {
    status: 401,
    description: 'The API key is missing, malformed, unknown, expired or revoked.',
    action:
      'Send a valid key as `X-Api-Key` or `Authorization: Bearer`. An operator creates one with `npx relata keys ' +
      'create`.',
    example: 'The API key is missing or not valid. Send it as X-Api-Key or Authorization: Bearer.',
  },
  forbidden: {
    status: 403,
    description: 'The API key lacks the scope that `required_scopes` names, or may not be used from this origin.',
    action:
      'Ask an operator for a new key with these scopes; the scopes of an existing key cannot change. Without ' +
      '`required_scopes`, the key is meant for pages of other origins.',
    example: 'The API key lacks the scope records:read.',
    data: { required_scopes: ['records:read'] },
  },
  wrong_credentials: {
    status: 403,
    description: 'The e-mail address or the password is wrong.',
    action: 'Try again, or ask an operator for a link: `npx relata people reset EMAIL`.',
    example: 'The e-mail address or the password is wrong.',
    isOfConsole: true,
  },
  cross_site: {
    status: 403,
    description: 'A request to the console was sent by a page of another origin, or does not name its origin.',
    action: 'Use the pages of the console. Programs use the API with a key.',
    example: 'Only the pages of the console can send this request. Programs use the API with a key.',
    isOfConsole: true,
  },
  not_found: {
    status: 404,
    description:
      'The route does not exist, or the organization of the key has no such record. If it was merged, `merged_into` is ' +
      'the record that remains.',
    action:
      'Check the path and the ID. Records of other organizations are not found. Use `merged_into` if it is present.',
    example: 'There is no such record.',
  },
  method_not_allowed: {
    status: 405,
    description:
      'The path does not support this method; `allowed` and the header `Allow` list the methods that it ' + 'supports.',
    action: 'Use one of the methods in `allowed`.',
    example: 'Allowed: GET, POST, HEAD.',
    data: { allowed: ['GET', 'POST', 'HEAD'] },
  },
  conflict: {
    status: 409,
    description: 'The request conflicts with the current state.',
    action:
      'If the message names a command, let an operator run it. Otherwise read the named objects again, and retry.',
    example: 'A referenced record is being changed by another request. Retry.',
  },
  ambiguous_match: {
    status: 409,
    description:
      'Several records match. `candidate_ids` lists up to 10 of them, the oldest first; `candidate_count` is ' +
      'their number, counted up to 100. Nothing was done.',
    action: 'Choose one of `candidate_ids` and match by its `id`, or match by more fields.',
    example: `2 accounts match: ${first}, ${second}.`,
    data: {
      candidate_ids: [first, second],
      candidate_count: 2,
    },
  },
  already_exists: {
    status: 409,
    description:
      'The request may only create a record, but a record matches already. `candidate_ids` lists up to 10 ' +
      'matches, the oldest first; `candidate_count` is their number, counted up to 100. Nothing was done.',
    action: 'Use the existing record, or omit `mode` to update it.',
    example: `A record matches: ${first}.`,
    data: { candidate_ids: [first], candidate_count: 1 },
  },
  in_use: {
    status: 409,
    description: 'Other records cannot exist without the record; `used_by` has their number by kind. Nothing was done.',
    action:
      'Delete these records first, or send the request with `cascade=true` to delete them, too. Opportunities at a stage ' +
      'are moved with `move_to` instead.',
    example: 'The record is used by 3 opportunities. Delete them first, or add cascade=true.',
    data: { used_by: { opportunities: 3 } },
  },
  too_many_linked: {
    status: 409,
    description:
      'The request would change more than `linked_max` other records. `linked_count` is their number, counted up to ' +
      '10,000; beyond that, `linked_count_relation` is `gte`. Nothing was done.',
    action:
      'Change or delete some of the linked records first. Send an item of a batch again in a request of its own. ' +
      'An operator can rename a pipeline in steps with `npx relata pipelines rename`, and merge records in steps ' +
      'with `npx relata records merge --chunked`.',
    example: '7200 other records are linked. One request changes at most 5000.',
    data: { linked_count: 7_200, linked_max: 5_000 },
  },
  batch_aborted: {
    status: 409,
    description:
      'An item of an atomic batch failed. `results` lists the failed items with `index`, `status` and error. ' +
      'Nothing was done.',
    action: 'Correct or remove the items in `results`, and send the batch again.',
    example: 'Item 3 is at fault. Nothing was done.',
    data: {
      results: [{ index: 3, status: 404, error: { error: 'not_found', message: 'There is no such record.' } }],
    },
  },
  idempotency_in_progress: {
    status: 409,
    description: 'A request with the same `Idempotency-Key` is in progress. Retry after `Retry-After` seconds.',
    action:
      'Wait for `Retry-After` seconds, and send the same request again. It then gets the answer of the first ' +
      'request.',
    example: 'A request with this Idempotency-Key is in progress. Retry.',
  },
  cursor_expired: {
    status: 410,
    description:
      'The event of the cursor `after` was deleted; `oldest_cursor` is the cursor of the oldest events that ' +
      'are kept.',
    action:
      'Continue from `oldest_cursor`. You may have missed events in between; if that matters, read all records ' +
      'again.',
    example: 'The event was deleted. Continue from `oldest_cursor`; you may have missed events in between.',
    data: { oldest_cursor: 'start' },
  },
  link_ended: {
    status: 410,
    description: 'The one-time link was used or withdrawn, has expired, or never existed.',
    action: 'Ask the person who sent the link for a new one. `npm start` prints a new link each time.',
    example: 'This link was used or is no longer valid. Ask for a new one.',
    isOfConsole: true,
  },
  precondition_failed: {
    status: 412,
    description:
      'No version in `If-Match` is the current one. The header `ETag` has the current version. Nothing was ' + 'done.',
    action: 'Read the record again, decide, and send the change with its current ETag.',
    example: 'The record has changed since you read it. Fetch it again and retry with its current ETag.',
  },
  payload_too_large: {
    status: 413,
    description: 'The body is larger than 1 MB (1,048,576 bytes).',
    action: 'Send at most `body_bytes` per request, counted after decompression.',
    example: 'The body is larger than 1,048,576 bytes.',
    data: { body_bytes: 1_048_576 },
  },
  unsupported_media_type: {
    status: 415,
    description: 'The body is not `application/json` in UTF-8.',
    action: 'Send `Content-Type: application/json`. `Content-Encoding` may be gzip, deflate or br, or be omitted.',
    example: 'Send application/json in UTF-8.',
    data: { allowed: ['application/json'] },
  },
  misdirected_request: {
    status: 421,
    description: 'The host name of the request is not that of `CONSOLE_URL`.',
    action: 'Use the address of `CONSOLE_URL`.',
    example: 'The console is at https://console.example.com.',
    isOfConsole: true,
  },
  idempotency_key_reused: {
    status: 422,
    description:
      'A different request used the same `Idempotency-Key` before; `first_request_id` identifies it. Nothing was done.',
    action: 'Use a new value for each request. Repeat a request only with the same value and the same body.',
    example: 'This Idempotency-Key was used for another request.',
    data: { first_request_id: '019a1b2c-0000-7000-8000-00000000000f' },
  },
  rate_limited: {
    status: 429,
    description: 'Too many requests. Retry after `Retry-After` seconds.',
    action:
      'Wait for `Retry-After` seconds, and send the request again. The header `RateLimit` shows how many ' +
      'requests are left.',
    example: 'Too many requests. Try again in 12 s.',
  },
  internal_error: {
    status: 500,
    description: 'An error in the service. The log has its cause under the `request_id`.',
    action:
      'Send the request again. If the error persists, give the `request_id` to the operator. Repeat a write ' +
      'only with an `Idempotency-Key`.',
    example: 'Something went wrong on our side.',
  },
  upstream_error: {
    status: 502,
    description: 'Another system refused the request or could not be reached.',
    action: 'Do not send the request again: it is stored, and the operator can forward it.',
    example: 'Your request is stored, but the team could not be notified yet.',
  },
  service_unavailable: {
    status: 503,
    description: 'The service cannot answer right now. Retry after `Retry-After` seconds.',
    action:
      'Wait for `Retry-After` seconds, and send the request again. Repeat a write only with an ' + '`Idempotency-Key`.',
    example: 'The service cannot answer right now. Try again.',
  },
} as const satisfies Record<string, ErrorSpec>;

export type ErrorCode = keyof typeof errors;
