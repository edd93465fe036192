import { errors } from '../errors/errors.ts';
import { scopes } from '../scopes.ts';

/** Introduction to the API: everything that applies to all operations. The description of the API begins with it. */
export const apiGuide = `Records, custom activities and the marketing chatbot of a self-hosted sales CRM.

## Get a key

An operator creates a key. It is shown only once:

\`\`\`
npx relata keys create --org ORG_ID --scope records:read --scope records:write
\`\`\`

\`npm start\` prints the keys of its demo organizations, and writes them to \`.local/stack.json\`. Send the key as
\`X-Api-Key: KEY\` or as \`Authorization: Bearer KEY\`. \`GET /v1/self\` returns the permissions and limits of a key.

| Scope | Permission |
|---|---|
${Object.entries(scopes)
  .map(([name, allows]) => `| \`${name}\` | ${allows} |`)
  .join('\n')}

## Pages

A list accepts \`limit\` (1 to 100, default 25). It returns
\`{ "data": [...], "total": 342, "limit": 25, "offset": 0, "has_more": true, "next_cursor": "..." }\`. \`total\` is the number
of all matching records. [Lists](/docs/lists) has recipes, such as "the ten largest open deals of a user with their accounts".

- Filters, \`sort\`, \`q\` (search), \`expand\` (related records) and \`fields\` are parameters of lists. Each operation below
  names those that it accepts.
- To read a whole list, repeat the request with \`cursor\` set to \`next_cursor\` until an answer has no \`next_cursor\`. Every
  record that exists throughout is returned exactly once.
- \`sort=-id\` returns the newest records first. By default the oldest come first.
- If more than 10,000 records match a filter, \`total\` is 10000 and \`total_relation\` is \`gte\`. \`count=exact\` counts them all;
  \`count=none\` counts nothing, which is cheaper.
- \`offset\` skips records of a short list. A page of more than 1 MB ends before \`limit\`, so continue at
  \`offset\` plus the length of \`data\`.

## Versions

A response with one record has an \`ETag\`. Every change of the record changes it.

- A GET with \`If-None-Match\` returns 304 while the version is the same. It then does not count against the limit.
- A PATCH or DELETE with \`If-Match\` is executed only if the record has this version; otherwise the answer is 412.
- A PATCH that sets the current values changes nothing: \`updated_at\` and the ETag stay the same.

## Retries

Send a POST, PATCH or DELETE of records, activities or the trash with an \`Idempotency-Key\` of your choice. However often you
repeat it within 24 hours, it is executed once. Repeats get the first answer again, with \`Idempotent-Replayed: true\`. Repeat
a request after a lost connection, 409 \`idempotency_in_progress\`, 429 and any 5xx. The other operations ignore the header.

## Deleting

With the scope \`records:delete\`, a DELETE moves a record to the trash and clears the links of other records to it.
\`POST /v1/trash/{id}/restore\` brings both back until \`purge_at\`. With the scope \`records:erase\` and the parameter
\`erase=true\`, it erases the record, the content of its events and the records merged into it, for good.

## Events

With the scope \`events:read\`, \`GET /v1/events\` returns every change. Follow it with \`next_cursor\`; you then get each event
exactly once. \`wait=30\` keeps the request open until there is an event. \`Accept: text/event-stream\` streams events as
they happen. If the event of a cursor was deleted, the answer is 410.

## Limits

Requests are counted per key; requests to the chatbot are counted per client IP address. \`RateLimit-Limit\`, \`RateLimit-Remaining\` and
\`RateLimit-Reset\` show the limit, the number of requests left, and the seconds until the next window. \`RateLimit-Policy\` and
\`RateLimit\` contain the same as structured fields. Over the limit, the answer is 429: wait as many seconds as \`Retry-After\`
says. A body has at most 1 MB (1,048,576 bytes), counted after decompression.

## Errors

Programs should use \`error\`, which never changes; \`message\` is for people. \`doc_url\` leads to the remedy, on the page
[/docs/errors](/docs/errors) of this service. Anything a message mentions is also a structured field. \`request_id\`
identifies the request in the log.

| Status | \`error\` | Meaning | Example |
|---|---|---|---|
${Object.entries(errors)
  .filter(([, error]) => !('isOfConsole' in error))
  .toSorted(([, a], [, b]) => a.status - b.status)
  .map(([code, { status, description, example }]) => `| ${status} | \`${code}\` | ${description} | ${example} |`)
  .join('\n')}

Requests that are not valid HTTP (400, 417, 431) or do not arrive in time (408) are answered with \`validation_error\`. After
429, wait and send the request again. Do the same after a 5xx other than 502, or a lost connection. A create without an
\`Idempotency-Key\` may have been stored nevertheless, so look for the record first.

## Webhooks

Other systems post their events to \`/webhooks/trigger/{triggerId}\`, with the secret of a trigger instead of a key. The
receiver is not among the operations below. [Webhooks](/docs/webhooks) has its limits and answers, and what to do about each.

\`\`\`sh
TRIGGER_URL=http://127.0.0.1:8080/webhooks/trigger/TRIGGER_ID
WEBHOOK_SECRET=relata_whs_…

curl -sS --max-time 20 "$TRIGGER_URL" \\
  -H "X-Webhook-Secret: $WEBHOOK_SECRET" \\
  -H 'Content-Type: application/json' \\
  -H 'Idempotency-Key: form-2041' \\
  -d '{"user":{"email":"hedy@initech.example"}}'
\`\`\`

After 202, the delivery is stored and its workflows start. Repeat it after 408, 429 and any 5xx, with the same
\`Idempotency-Key\` and after \`Retry-After\`. Do not repeat it after 202 or another 4xx. A body is a JSON object of at most
512 KB.
`;
