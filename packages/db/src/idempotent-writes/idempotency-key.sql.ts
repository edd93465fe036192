import { batchRows } from '../in-batches.ts';
import { type Db, onlyRow, statement } from '../statement.ts';
import type { SharedStatement } from '../units/shared-statement.ts';
import type { UnitDb } from '../units/unit-db.ts';

/** A write with an idempotency key. */
export interface IdempotentRequest {
  orgId: string;
  keyId: string;
  nameHash: Buffer;
  requestHash: Buffer;
  requestId: string;
}

export interface StoredResponse {
  status: number;
  etag: string | undefined;
  /** The body as JSON, kept byte for byte. */
  json: string;
}

interface Taken {
  n: number;
  is_locked: boolean;
  request_hash: Buffer | null;
  request_id: string | null;
  status: number | null;
  etag: string | null;
  body: string | null;
}

const take = statement<Taken>(
  'idempotency.take',
  `SELECT n::integer, is_locked, (kept).request_hash, (kept).request_id, (kept).status, (kept).etag, (kept).body
   FROM (
     SELECT n, is_locked,
       CASE WHEN (stored).created_at > now() - make_interval(secs => $4::float8 / 1000) THEN stored END AS kept
     FROM take_idempotency_keys($1::uuid[], $2::uuid[], $3::bytea[])
   ) taken`,
);

/**
 * State of an idempotency key: another request is using it, it has a response, its response to this request was erased,
 * or the caller holds it until the transaction ends.
 */
export type KeyState =
  | { kind: 'in_progress' }
  | { kind: 'erased' }
  | { kind: 'stored'; isSame: boolean; requestId: string; response: StoredResponse }
  | { kind: 'ours' };

/**
 * Returns a statement that locks idempotency keys until the end of the transaction, and returns the state of each. It
 * ignores responses older than `keptMs`.
 */
export function takeIdempotencyKeys(keptMs: number): SharedStatement<IdempotentRequest, KeyState> {
  return {
    async run(db, requests) {
      const rows = await db.query(take, [...columnsOf(requests), keptMs]);
      const byNumber = new Map(rows.map((row) => [row.n, row]));
      return requests.map(({ requestHash }, i) => takenOf(byNumber.get(i + 1)!, requestHash));
    },
  };
}

/** Body of an erased response. No other response has an empty body, since each is a JSON object. */
const erasedBody = '';

const columnsOf = (requests: readonly IdempotentRequest[]) => [
  requests.map(({ orgId }) => orgId),
  requests.map(({ keyId }) => keyId),
  requests.map(({ nameHash }) => nameHash),
];

function takenOf(taken: Taken, requestHash: Buffer): KeyState {
  if (!taken.is_locked) return { kind: 'in_progress' };
  if (!taken.request_hash) return { kind: 'ours' };
  const isSame = taken.request_hash.equals(requestHash);
  if (isSame && taken.body === erasedBody) return { kind: 'erased' };
  const response = { status: taken.status!, etag: taken.etag ?? undefined, json: taken.body! };
  return { kind: 'stored', isSame, requestId: taken.request_id!, response };
}

const store = statement<never>(
  'idempotency.store',
  `INSERT INTO idempotency_keys (org_id, key_id, name_hash, request_hash, request_id, status, etag, body, record_ids)
   SELECT org_id, key_id, name_hash, request_hash, request_id, status, etag, body,
     record_ids::uuid[]
   FROM unnest($1::uuid[], $2::uuid[], $3::bytea[], $4::bytea[], $5::text[], $6::smallint[], $7::text[], $8::text[],
     $9::text[]) AS given (org_id, key_id, name_hash, request_hash, request_id, status, etag, body, record_ids)
   ON CONFLICT (org_id, key_id, name_hash) DO UPDATE SET request_hash = excluded.request_hash,
     request_id = excluded.request_id, status = excluded.status, etag = excluded.etag, body = excluded.body,
     record_ids = excluded.record_ids, created_at = excluded.created_at`,
);

interface Stored {
  request: IdempotentRequest;
  response: StoredResponse;
  recordIds: readonly string[];
}

const storesResponses: SharedStatement<Stored, void> = {
  async run(db, all) {
    const requests = all.map(({ request }) => request);
    const responses = all.map(({ response }) => response);
    await db.query(store, [
      ...columnsOf(requests),
      requests.map(({ requestHash }) => requestHash),
      requests.map(({ requestId }) => requestId),
      responses.map(({ status }) => status),
      responses.map(({ etag }) => etag ?? null),
      responses.map(({ json }) => json),
      all.map(({ recordIds }) => `{${recordIds.join()}}`),
    ]);
    return all.map(() => undefined);
  },
  wrote: () => true,
  isLast: true,
};

/** Stores the response to a write, and replaces an expired response. */
export function storeResponse(db: UnitDb, stored: Stored): Promise<void> {
  return db.call(storesResponses, stored);
}

const erase = statement<never>(
  'idempotency.erase',
  `UPDATE idempotency_keys SET body = '${erasedBody}', etag = NULL
   WHERE org_id = $1 AND cardinality(record_ids) = 1 AND record_ids[1] = ANY ($2::uuid[])`,
);

const eraseOfSeveral = statement<never>(
  'idempotency.erase_of_several',
  `UPDATE idempotency_keys SET body = '${erasedBody}', etag = NULL
   WHERE org_id = $1 AND cardinality(record_ids) > 1 AND record_ids && $2::uuid[]`,
);

/**
 * Erases the stored responses that contain any of these records. Their idempotency keys stay until they expire, so that
 * no repeated request writes the erased records again.
 */
export async function eraseResponses(db: Db, orgId: string, recordIds: readonly string[]): Promise<void> {
  await db.query(erase, [orgId, recordIds]);
  await db.query(eraseOfSeveral, [orgId, recordIds]);
}

const drop = statement<{ dropped: number }>(
  'idempotency.drop_old',
  `WITH old AS MATERIALIZED (
     SELECT org_id, key_id, name_hash FROM idempotency_keys
     WHERE created_at < now() - make_interval(secs => $1::float8 / 1000)
     ORDER BY created_at LIMIT ${batchRows} FOR UPDATE SKIP LOCKED
   ), dropped AS (
     DELETE FROM idempotency_keys k USING old o
     WHERE k.org_id = o.org_id AND k.key_id = o.key_id AND k.name_hash = o.name_hash RETURNING 1
   )
   SELECT count(*)::integer AS dropped FROM dropped`,
);

/** Deletes responses older than `olderThanMs`, and returns their number. */
export async function dropOldResponses(db: Db, olderThanMs: number, signal?: AbortSignal): Promise<number> {
  for (let total = 0; ;) {
    signal?.throwIfAborted();
    const { dropped } = await onlyRow(db, drop, [olderThanMs]);
    total += dropped;
    if (dropped < batchRows) return total;
  }
}
