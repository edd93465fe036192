import { type Db, statement } from '@relata/db';
import { claimGraceSeconds } from '../runs/claim.sql.ts';
import type { InputFault } from '../definitions/input-value.ts';

export interface NewRun {
  id: string;
  workflowId: string;
  version: number;
  isLimited: boolean;
  /** A JSON object that the database can store. */
  inputs: string;
}

export interface NewDelivery {
  orgId: string;
  id: string;
  triggerId: string;
  /** SHA-256, in hexadecimal, of the key by which the sender marks a delivery and its repeats. */
  keyHash: string | undefined;
  /**
   * SHA-256, in hexadecimal, of the body, or of the signed string if it contains an id. Set only for a signature
   * without a timestamp, because a copy of such a post would remain valid.
   */
  bodyHash?: string | undefined;
  /** Why the repeat key of the trigger had no value. */
  repeatProblem?: string | undefined;
  body: Buffer;
  headers: Record<string, string>;
  /** Workflows that were not started, and why. */
  skipped: NotStarted[];
  runs: NewRun[];
  /**
   * `traceparent` of the trace that its runs continue, even if telemetry is disabled. Undefined for a refused post that
   * is stored later.
   */
  traceparent?: string | undefined;
}

export interface SkippedWorkflow {
  workflow_id: string;
  reason: 'filtered' | 'filter_failed';
  message?: string;
}

/** A workflow that was not started because the delivery does not satisfy its inputs. A replay can start it later. */
export interface RefusedWorkflow {
  workflow_id: string;
  reason: 'refused';
  problems: InputProblem[];
}

/**
 * A refused workflow that a replay has started, or has excluded for the reason in `message`. Its `reason` is no longer
 * `refused`, because earlier releases would start the workflow again.
 */
export interface SettledWorkflow {
  workflow_id: string;
  reason: 'replayed';
  message?: string;
}

/** A workflow that was not started when its delivery was received, and why. */
export type NotStarted = SkippedWorkflow | RefusedWorkflow | SettledWorkflow;

/** Returns true for a refused workflow that no replay has settled yet. */
export const isRefused = (each: NotStarted): each is RefusedWorkflow => 'problems' in each;

/** Returns true for a refused workflow that no replay has started, even if a replay excluded it. */
export const isUnstarted = (each: NotStarted): each is RefusedWorkflow | SettledWorkflow =>
  isRefused(each) || (each.reason === 'replayed' && each.message !== undefined);

export interface InputProblem {
  input: string;
  /** The field that is mapped to the input; if there is no such field, the name of the input. */
  field: string;
  code: InputFault;
  message: string;
}

/** Number of days for which a copy of a signed post is recognized, if the signature has no timestamp. */
export const signedPostDays = 7;

/**
 * Stores signed posts, repeat keys, deliveries and runs: all or none. Inserts posts before keys, and both in a fixed
 * order, so that batches with the same posts or keys do not deadlock. A delivery is left out if its post or its key
 * exists already. A copied post does not insert its repeat key: the key may not be signed, and a copy could then use up
 * the key of a later delivery. A delivery whose id exists is left out too, so that a batch can be stored again if its
 * result is unknown.
 */
const store = statement<{ id: string }>(
  'webhook_deliveries.store',
  `WITH given AS MATERIALIZED (
     SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::integer[], $6::integer[], $7::text[],
       $8::text[], $9::text[], $10::text[], $11::boolean[]) AS g (org_id, id, trigger_id, key_hash, body_start, body_length, headers,
       skipped, repeat_problem, body_hash, has_refused)
   ), posts AS (
     INSERT INTO webhook_signed_posts (org_id, trigger_id, body_hash, delivery_id)
     SELECT DISTINCT ON (g.org_id, g.trigger_id, g.body_hash) g.org_id, g.trigger_id, decode(g.body_hash, 'hex'), g.id
     FROM given g LEFT JOIN LATERAL (
       SELECT true AS is_there FROM webhook_delivery_keys k
       WHERE k.org_id = g.org_id AND k.trigger_id = g.trigger_id AND k.key_hash = decode(g.key_hash, 'hex') LIMIT 1
     ) k ON true
     WHERE g.body_hash IS NOT NULL AND k.is_there IS NULL
     ORDER BY g.org_id, g.trigger_id, g.body_hash, g.id
     ON CONFLICT (org_id, trigger_id, body_hash)
       DO UPDATE SET delivery_id = excluded.delivery_id, received_at = excluded.received_at
       WHERE webhook_signed_posts.received_at < now() - interval '${signedPostDays} days'
     RETURNING delivery_id
   ), taken AS (
     INSERT INTO webhook_delivery_keys (org_id, trigger_id, key_hash, delivery_id)
     SELECT org_id, trigger_id, decode(key_hash, 'hex'), id FROM given
     -- ARRAY(...) ensures that all posts are inserted before the first key.
     WHERE key_hash IS NOT NULL AND (body_hash IS NULL OR id = ANY (ARRAY(SELECT delivery_id FROM posts)))
     ORDER BY org_id, trigger_id, key_hash, id
     ON CONFLICT DO NOTHING RETURNING delivery_id
   ), stored AS (
     INSERT INTO webhook_deliveries (org_id, id, trigger_id, body, headers, skipped, repeat_problem, has_refused)
     SELECT org_id, id, trigger_id, substring($12::bytea FROM body_start FOR body_length), headers::json, skipped::json,
       repeat_problem, has_refused
     FROM given
     WHERE (key_hash IS NULL OR id IN (SELECT delivery_id FROM taken))
       AND (body_hash IS NULL OR id = ANY (ARRAY(SELECT delivery_id FROM posts)))
     ON CONFLICT (org_id, id) DO NOTHING
     RETURNING id
   ), queued AS (
     INSERT INTO workflow_runs
       (org_id, id, workflow_id, version, delivery_id, trigger_id, replay, inputs, is_limited, traceparent, due_at)
     SELECT org_id, id, workflow_id, version, delivery_id, trigger_id, 0,
            convert_from(substring($23::bytea FROM inputs_start FOR inputs_length), 'UTF8')::json, is_limited, traceparent,
            now() + interval '${claimGraceSeconds} seconds'
     FROM unnest($13::uuid[], $14::uuid[], $15::uuid[], $16::integer[], $17::uuid[], $18::uuid[], $19::integer[],
       $20::integer[], $21::boolean[], $22::text[])
       AS r (org_id, id, workflow_id, version, delivery_id, trigger_id, inputs_start, inputs_length, is_limited,
       traceparent)
     WHERE delivery_id IN (SELECT id FROM stored)
   )
   SELECT id FROM stored`,
);

/**
 * Stores deliveries of any triggers with their runs in one statement. Returns the ids of the deliveries that were new.
 * All bodies are joined into one parameter, and all inputs into another. In an array, pg would escape them, which would
 * block the event loop for large values.
 */
export async function storeDeliveries(db: Db, deliveries: readonly NewDelivery[]): Promise<Set<string>> {
  const stored = await db.query(store, [...deliveryColumns(deliveries), ...runColumns(deliveries)]);
  return new Set(stored.map(({ id }) => id));
}

/** Returns the position at which each part begins after the parts are joined. PostgreSQL counts from 1. */
export function startsOf(lengths: readonly number[]): number[] {
  let start = 1;
  return lengths.map((length) => (start += length) - length);
}

/** Returns one array per column: PostgreSQL and pg process arrays in half the time of JSON. */
function deliveryColumns(deliveries: readonly NewDelivery[]): unknown[] {
  const bodies = deliveries.map(({ body }) => body);
  const lengths = bodies.map(({ length }) => length);
  return [
    deliveries.map(({ orgId }) => orgId),
    deliveries.map(({ id }) => id),
    deliveries.map(({ triggerId }) => triggerId),
    deliveries.map(({ keyHash }) => keyHash ?? null),
    startsOf(lengths),
    lengths,
    deliveries.map(({ headers }) => JSON.stringify(headers)),
    deliveries.map(({ skipped }) => (skipped.length > 0 ? JSON.stringify(skipped) : null)),
    deliveries.map(({ repeatProblem }) => repeatProblem ?? null),
    deliveries.map(({ bodyHash }) => bodyHash ?? null),
    deliveries.map(({ skipped }) => skipped.some(isRefused)),
    bodies.length === 1 ? bodies[0] : Buffer.concat(bodies),
  ];
}

function runColumns(deliveries: readonly NewDelivery[]): unknown[] {
  const runs = deliveries.flatMap((delivery) => delivery.runs.map((run) => ({ delivery, run })));
  const lengths = runs.map(({ run }) => Buffer.byteLength(run.inputs));
  return [
    runs.map(({ delivery }) => delivery.orgId),
    runs.map(({ run }) => run.id),
    runs.map(({ run }) => run.workflowId),
    runs.map(({ run }) => run.version),
    runs.map(({ delivery }) => delivery.id),
    runs.map(({ delivery }) => delivery.triggerId),
    startsOf(lengths),
    lengths,
    runs.map(({ run }) => run.isLimited),
    runs.map(({ delivery }) => delivery.traceparent ?? null),
    Buffer.from(runs.map(({ run }) => run.inputs).join('')),
  ];
}

/** A repeat key of a trigger, as SHA-256 in hexadecimal. */
export interface GivenKey {
  orgId: string;
  triggerId: string;
  keyHash: string;
}

const known = statement<{ is_known: boolean }>(
  'webhook_delivery_keys.known',
  `SELECT k.is_there IS NOT NULL AS is_known
   FROM unnest($1::uuid[], $2::uuid[], $3::text[]) WITH ORDINALITY AS g (org_id, trigger_id, key_hash, at)
   LEFT JOIN LATERAL (
     SELECT true AS is_there FROM webhook_delivery_keys k
     WHERE k.org_id = g.org_id AND k.trigger_id = g.trigger_id AND k.key_hash = decode(g.key_hash, 'hex') LIMIT 1
   ) k ON true
   ORDER BY g.at`,
);

/** Returns for each repeat key, in this order, whether a delivery with it is stored. */
export async function areKeysKnown(db: Db, keys: readonly GivenKey[]): Promise<boolean[]> {
  const columns = [keys.map(({ orgId }) => orgId), keys.map(({ triggerId }) => triggerId)];
  const rows = await db.query(known, [...columns, keys.map(({ keyHash }) => keyHash)]);
  return rows.map(({ is_known: isKnown }) => isKnown);
}
