import { errors } from '../errors/errors.ts';
import { scopes } from '../scopes.ts';

/** Introduction to the API: everything that applies to all operations. The description of the API begins with it. */
export const apiGuide = `Records, custom activities and the marketing chatbot of a self-hosted sales CRM.

## Get a key

An operator makes one, and sees it this once:

\`\`\`
relata keys create --org ORG_ID --scope records:read --scope records:write
\`\`\`

\`npm start\` prints the keys of its demo organizations; they are in \`.local/stack.json\` too. Send the key as \`X-Api-Key: KEY\`
or as \`Authorization: Bearer KEY\`. \`GET /v1/self\` says what a key may do.

| Scope | What it allows |
|---|---|
${Object.entries(scopes)
  .map(([name, allows]) => `| \`${name}\` | ${allows} |`)
  .join('\n')}

## Pages

A list takes \`limit\` (1 to 100, 25 unless given) and \`offset\` (0 unless given), and answers
\`{ "data": [...], "total": 342, "limit": 25, "offset": 0, "has_more": true }\`. \`total\` counts all that match. A page has
less than \`limit\` where its records would be more than 1 MB: add the length of \`data\` to \`offset\`, for as long as
\`has_more\` is true. The order is that of creation, so pages stay as they are while records are added.

## Versions

An answer that is one record has an \`ETag\`, which every change of the record changes. A GET with \`If-None-Match\` answers 304
while the version is the same, and does not count against the limit; a PATCH with \`If-Match\` is done only if the record is of
that version, else the answer is 412. A PATCH under which the record stays as it is changes nothing: \`updated_at\` and the
ETag stay.

## Repeats

A POST or PATCH with an \`Idempotency-Key\` of your own is done once, however often it is sent within 24 hours: repeats are
answered as the first time, with \`Idempotent-Replayed: true\`. Repeat it after a lost connection, 409
\`idempotency_in_progress\`, 429 and any 5xx.

## Events

With the scope \`events:read\`, \`GET /v1/events\` has every change: follow it by \`next_cursor\`, and each event comes exactly
once. \`wait=30\` keeps the request open until there is something; \`Accept: text/event-stream\`
has them sent as they are made. A cursor older than what is kept answers 410.

## Limits

The requests of a key are counted; those of the chatbot are counted by the client's address. \`RateLimit-Limit\`,
\`RateLimit-Remaining\` and \`RateLimit-Reset\` say how many are left, and until when; \`RateLimit-Policy\` and \`RateLimit\` say
the same as structured fields. Over the limit the answer is 429: wait
as many seconds as \`Retry-After\` says. A body has at most 1 MB (1,048,576 bytes), after unpacking.

## Errors

Go by \`error\`, which never changes; \`message\` is for people. \`doc_url\` leads to what to do about it, on the page
[/docs/errors](/docs/errors) of this service; what the message names has members of its own. \`request_id\` finds the request
in the log.

| Status | \`error\` | Meaning | For example |
|---|---|---|---|
${Object.entries(errors)
  .filter(([, error]) => !('isOfConsole' in error))
  .toSorted(([, a], [, b]) => a.status - b.status)
  .map(([code, { status, description, example }]) => `| ${status} | \`${code}\` | ${description} | ${example} |`)
  .join('\n')}

What breaks HTTP itself (400, 417, 431), or does not arrive in time (408), is answered as \`validation_error\`. After 429
wait, and send the request again. After a 5xx or a lost connection too, but a create without an
\`Idempotency-Key\` may have been stored: look for it first.

## Webhooks

Other systems post their events to \`/webhooks/trigger/{triggerId}\`, with the secret of a trigger in place of a key. The
receiver is not among the operations below; \`docs/webhooks.md\` has its limits, its answers and what to do about each.

\`\`\`sh
TRIGGER_URL=http://127.0.0.1:8080/webhooks/trigger/TRIGGER_ID
WEBHOOK_SECRET=relata_whs_…

curl -sS --max-time 20 "$TRIGGER_URL" \\
  -H "X-Webhook-Secret: $WEBHOOK_SECRET" \\
  -H 'Content-Type: application/json' \\
  -H 'Idempotency-Key: form-2041' \\
  -d '{"user":{"email":"hedy@initech.example"}}'
\`\`\`

202 says that the delivery is stored and its workflows start. Repeat it after 408, 429 and any 5xx, with the same
\`Idempotency-Key\` and after \`Retry-After\`; never after 202, and not after another 4xx. A body is a JSON object of at most
512 KB.
`;
