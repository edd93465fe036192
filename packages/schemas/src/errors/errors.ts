interface ErrorSpec {
  status: number;
  /** Cause of the error. */
  description: string;
  /** Remedy for the client. */
  action: string;
  /** An example of its message. */
  example: string;
  /** True if only the console returns it; the description of the API leaves it out. */
  isOfConsole?: true;
  /** Structured fields of the example; `ErrorData` declares them. */
  data?: Readonly<Record<string, unknown>>;
}

const [first, second] = ['019a1b2c-0000-7000-8000-000000000001', '019a1b2c-0000-7000-8000-000000000002'];

/** All errors of the REST API: the code on the wire, the status, the cause and the remedy. */
export const errors = {
  validation_error: {
    status: 400,
    description: 'The request does not follow the rules; `details` names every problem.',
    action:
      'Correct what `details` names, and send the request again. Without `details` the request is not valid HTTP, or ' +
      '(408) did not arrive in time: one that arrived too slowly may be sent again as it is.',
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
    action: 'Send a valid key as `X-Api-Key` or `Authorization: Bearer`. An operator makes one: `relata keys create`.',
    example: 'The API key is missing or not valid. Send it as X-Api-Key or Authorization: Bearer.',
  },
  forbidden: {
    status: 403,
    description: 'The API key lacks the scope that `required_scopes` names, or may not be used from this origin.',
    action:
      'Use a key with these scopes: those of a key are fixed, so an operator makes another one. Without ' +
      '`required_scopes` the key is for pages of other origins.',
    example: 'The API key lacks the scope records:read.',
    data: { required_scopes: ['records:read'] },
  },
  wrong_credentials: {
    status: 403,
    description: 'The e-mail address or the password is wrong.',
    action: 'Try again, or ask an operator for a link: `relata people reset EMAIL`.',
    example: 'The e-mail address or the password is wrong.',
    isOfConsole: true,
  },
  cross_site: {
    status: 403,
    description: 'A request to the console comes from a page of another origin, or does not say from which.',
    action: 'Use the console by its own pages. Programs use the API, with a key.',
    example: 'The console is used by its own pages alone. Programs use the API, with a key.',
    isOfConsole: true,
  },
  not_found: {
    status: 404,
    description: 'No such route, or no such record in the organization of the key.',
    action: 'Check the path and the id. A record of another organization is not found either.',
    example: 'There is no such record.',
  },
  method_not_allowed: {
    status: 405,
    description: 'The path exists, the method does not; `allowed` and the header `Allow` list those that do.',
    action: 'Use one of the methods in `allowed`.',
    example: 'Allowed: GET, POST, HEAD.',
    data: { allowed: ['GET', 'POST', 'HEAD'] },
  },
  conflict: {
    status: 409,
    description: 'The request contradicts the present state.',
    action: 'Read what the request names, and try again.',
    example: 'What the record refers to is changing. Try again.',
  },
  ambiguous_match: {
    status: 409,
    description:
      'Several records match: `candidate_ids` has up to 10 of them, the oldest first, `candidate_count` their number. ' +
      'Nothing was done.',
    action: 'Choose one of `candidate_ids`, and match by its `id`; or match by more fields.',
    example: `2 accounts match: ${first}, ${second}.`,
    data: {
      candidate_ids: [first, second],
      candidate_count: 2,
    },
  },
  already_exists: {
    status: 409,
    description:
      'A record matches, and only a new one was wanted: `candidate_ids` has up to 10 that match, the oldest first, ' +
      '`candidate_count` their number. Nothing was done.',
    action: 'Use the record that is there, or leave `mode` out to update it.',
    example: `A record matches: ${first}.`,
    data: { candidate_ids: [first], candidate_count: 1 },
  },
  batch_aborted: {
    status: 409,
    description:
      'An item of an atomic batch cannot be carried out: `results` has the items at fault, each with its `index`, its ' +
      '`status` and its error. Nothing was done.',
    action: 'Correct or leave out the items in `results`, and send the batch again.',
    example: 'Item 3 is at fault. Nothing was done.',
    data: {
      results: [{ index: 3, status: 404, error: { error: 'not_found', message: 'There is no such record.' } }],
    },
  },
  idempotency_in_progress: {
    status: 409,
    description:
      'A request with the same `Idempotency-Key` is being carried out; try again after `Retry-After` seconds.',
    action: 'Wait for `Retry-After` seconds, and send the same request again: it is then answered as the first one.',
    example: 'A request with this Idempotency-Key is in progress. Try again.',
  },
  cursor_expired: {
    status: 410,
    description: 'The event that `after` names is kept no longer; `oldest_cursor` leads to the oldest one that is.',
    action: 'Go on from `oldest_cursor`. Events between may be missed: where that matters, read all records again.',
    example: 'The event is kept no longer. Go on from `oldest_cursor`: events between may be missed.',
    data: { oldest_cursor: 'start' },
  },
  link_ended: {
    status: 410,
    description: 'A one-time link was used, was withdrawn, has expired or never existed.',
    action: 'Ask for another one where this one came from. `npm start` prints a new one each time.',
    example: 'This link was used or has ended. Ask for another one.',
    isOfConsole: true,
  },
  precondition_failed: {
    status: 412,
    description: 'No version in `If-Match` is the current one; `ETag` has the current version. Nothing was done.',
    action: 'Read the record again, decide, and send the change with the ETag that was read.',
    example: 'The record has changed since; its ETag is another one.',
  },
  payload_too_large: {
    status: 413,
    description: 'The body is larger than 1 MB (1,048,576 bytes).',
    action: 'Send at most `body_bytes` at once. What counts is the body after unpacking.',
    example: 'The body is larger than 1,048,576 bytes.',
    data: { body_bytes: 1_048_576 },
  },
  unsupported_media_type: {
    status: 415,
    description: 'The body is not `application/json` in UTF-8.',
    action: 'Send `Content-Type: application/json`, and as `Content-Encoding` gzip, deflate, br or none.',
    example: 'Send application/json in UTF-8.',
    data: { allowed: ['application/json'] },
  },
  misdirected_request: {
    status: 421,
    description: 'The console was asked by another host name than that of `CONSOLE_URL`.',
    action: 'Use the address of `CONSOLE_URL`.',
    example: 'The console is at https://console.example.com.',
    isOfConsole: true,
  },
  idempotency_key_reused: {
    status: 422,
    description:
      'Another request came with the same `Idempotency-Key` before: that of `first_request_id`. Nothing was done.',
    action: 'Give every request a value of its own. Repeat a request with its value as it was sent first.',
    example: 'This Idempotency-Key was used for another request.',
    data: { first_request_id: '019a1b2c-0000-7000-8000-00000000000f' },
  },
  rate_limited: {
    status: 429,
    description: 'Too many requests; `Retry-After` says when to come back, in seconds.',
    action: 'Wait for `Retry-After` seconds, and send the request again. `RateLimit` says ahead what is left.',
    example: 'Too many requests. Try again in 12 s.',
  },
  internal_error: {
    status: 500,
    description: 'A fault of the service. The request id finds it in the log.',
    action:
      'Send the request again; give the operator the `request_id` if it goes on. Repeat a write with an `Idempotency-Key`.',
    example: 'Something went wrong on our side.',
  },
  upstream_error: {
    status: 502,
    description: 'A system behind the service refused, or could not be reached.',
    action: 'Do not repeat it: the request is kept, and the operator can send it on.',
    example: 'Your request is stored, but the team could not be notified yet.',
  },
  service_unavailable: {
    status: 503,
    description: 'The service cannot answer right now: try again after `Retry-After` seconds.',
    action: 'Wait for `Retry-After` seconds, and send the request again. Repeat a write with an `Idempotency-Key`.',
    example: 'The service cannot answer right now. Try again.',
  },
} as const satisfies Record<string, ErrorSpec>;

export type ErrorCode = keyof typeof errors;
