import { type Db, findValueWith, findWith, listWith, statement } from '@relata/db';
import { boundedPage, idRange, type ListPage, scannedMax, type ListWindow } from '../list-window.ts';
import type { NotStarted } from './delivery-store.sql.ts';
import type { RunStatus } from '../runs/run.sql.ts';

export interface Delivery {
  id: string;
  org_id: string;
  trigger_id: string;
  trigger: string;
  received_at: string;
  bytes: number;
  replays: number;
  /** Reason why the repeat key had no value, so that repeats of the delivery are stored too; null otherwise. */
  repeat_problem: string | null;
  runs: {
    id: string;
    workflow: string;
    version: number;
    status: RunStatus;
    replay: number;
    /** End of the run, in ISO 8601; null until then. */
    finished_at: string | null;
  }[];
}

export interface DeliveryDetail extends Delivery {
  body: Buffer;
  headers: Record<string, string>;
  skipped: NotStarted[] | null;
}

/**
 * Returns the SQL condition that a delivery belongs to a trigger and its organization. It does not compare the
 * organization by `=`. With `=`, the planner would use the primary key, and read the deliveries of all triggers to find
 * the few of this trigger.
 */
export const ofTrigger = (table: string, { orgId, triggerId }: { orgId: string; triggerId: string }) =>
  `${table}.trigger_id = ${triggerId} AND ${table}.org_id IS NOT DISTINCT FROM ${orgId}`;

const columns = `d.id, d.org_id, d.trigger_id, t.name AS trigger, d.received_at, length(d.body) AS bytes, d.replays,
  d.repeat_problem,
  coalesce((SELECT json_agg(json_build_object('id', r.id, 'workflow', w.name, 'version', r.version, 'status', r.status, 'replay', r.replay,
                                              'finished_at', r.finished_at)
                            ORDER BY r.replay, w.name)
            FROM workflow_runs r JOIN workflows w ON w.org_id = r.org_id AND w.id = r.workflow_id
            WHERE r.org_id = d.org_id AND r.delivery_id = d.id), '[]') AS runs`;

const from = 'FROM webhook_deliveries d JOIN webhook_triggers t ON t.org_id = d.org_id AND t.id = d.trigger_id';

/**
 * Condition that the delivery started a run. If $6 is given, the run must be of that workflow; if $5 is `failed`, it
 * must have failed. It avoids EXISTS, for which the planner may first read all runs of all organizations.
 */
const started = `coalesce((SELECT true FROM workflow_runs x WHERE x.delivery_id = d.id AND x.org_id = d.org_id
     AND ($6::uuid IS NULL OR x.workflow_id = $6) AND ($5::text IS DISTINCT FROM 'failed' OR x.status = 'failed')
     LIMIT 1), false)`;

/** Condition on a delivery `d`: $5 is the requested outcome, $6 a workflow whose runs count. Both may be NULL. */
export const matches = `CASE WHEN $5::text IS NULL AND $6::uuid IS NULL THEN true
     WHEN $5 = 'nothing' THEN NOT ${started} ELSE ${started} END`;

const listOf = (condition: string) =>
  `SELECT ${columns} ${from} WHERE ${condition} AND d.id >= $3 AND d.id < $4 AND ${matches}
   ORDER BY d.id DESC LIMIT $2`;

const listOfOrganization = statement<Delivery>('webhook_deliveries.list', listOf('d.org_id = $1'));
const listOfTrigger = statement<Delivery>(
  'webhook_deliveries.list_of_trigger',
  listOf(ofTrigger('d', { orgId: '$1', triggerId: '$7' })),
);

export const deliveryOutcomes = ['started', 'failed', 'nothing'] as const;

/** Outcome of a delivery: it started runs, at least one of its runs failed, or it started none. */
type DeliveryOutcome = (typeof deliveryOutcomes)[number];

export interface DeliveryConditions {
  triggerId?: string | undefined;
  outcome?: DeliveryOutcome | undefined;
  /** Workflow whose runs determine the outcome. Without an outcome, only deliveries that started it are listed. */
  workflowId?: string | undefined;
}

export type DeliveryFilter = DeliveryConditions & ListWindow;

/** Lists deliveries of all triggers or of one, newest first. */
export function listDeliveries(db: Db, orgId: string, filter: DeliveryFilter): Promise<Delivery[]> {
  return listBetween(db, orgId, filter, idRange(filter), filter.limit);
}

function listBetween(
  db: Db,
  orgId: string,
  { triggerId, outcome, workflowId }: DeliveryConditions,
  { low, high }: { low: string; high: string },
  limit: number,
): Promise<Delivery[]> {
  const values = [orgId, limit, low, high, outcome ?? null, workflowId ?? null];
  return triggerId ? db.query(listOfTrigger, [...values, triggerId]) : db.query(listOfOrganization, values);
}

/** Lists deliveries by id, newest first. Ids of other organizations are left out. */
export const listDeliveriesById = listWith<Delivery, [orgId: string, ids: readonly string[]]>(
  'webhook_deliveries.list_of_ids',
  `SELECT ${columns} ${from} WHERE d.org_id = $1 AND d.id = ANY ($2::uuid[]) ORDER BY d.id DESC`,
);

const floorOf = (condition: string) => `SELECT id FROM webhook_deliveries
   WHERE ${condition} AND id >= $2 AND id < $3 ORDER BY id DESC LIMIT 1 OFFSET ${scannedMax - 1}`;

const floor = statement<{ id: string }>('webhook_deliveries.floor', floorOf('org_id = $1'));
const floorOfTrigger = statement<{ id: string }>(
  'webhook_deliveries.floor_of_trigger',
  floorOf(ofTrigger('webhook_deliveries', { orgId: '$1', triggerId: '$4' })),
);

/** Returns a page of deliveries, newest first. With an outcome or a workflow it examines at most 10,000 deliveries. */
export function searchDeliveries(db: Db, orgId: string, filter: DeliveryFilter): Promise<ListPage<Delivery>> {
  const { triggerId, outcome, workflowId } = filter;
  return boundedPage(
    filter,
    async ({ low, high }) => {
      if (!outcome && !workflowId) return undefined;
      const values = [orgId, low, high];
      const [found] = await (triggerId ? db.query(floorOfTrigger, [...values, triggerId]) : db.query(floor, values));
      return found?.id;
    },
    (ids, limit) => listBetween(db, orgId, filter, ids, limit),
  );
}

/**
 * Takes the newest deliveries of each organization, and then the newest deliveries among them. No index orders the
 * deliveries of all organizations.
 */
const listOfAll = statement<Delivery>(
  'webhook_deliveries.list_of_all',
  `SELECT ${columns} FROM organizations o CROSS JOIN LATERAL (
     SELECT * FROM webhook_deliveries WHERE org_id = o.id AND ($2::uuid IS NULL OR id < $2) ORDER BY id DESC LIMIT $1
   ) d JOIN webhook_triggers t ON t.org_id = d.org_id AND t.id = d.trigger_id
   ORDER BY d.id DESC LIMIT $1`,
);

/** Lists deliveries of all organizations, newest first, for an operator. */
export function listAllDeliveries(
  db: Db,
  { limit, before }: Pick<ListWindow, 'limit' | 'before'>,
): Promise<Delivery[]> {
  return db.query(listOfAll, [limit, before ?? null]);
}

export const findDelivery = findWith<DeliveryDetail, [orgId: string, id: string]>(
  'webhook_deliveries.find',
  `SELECT ${columns}, d.body, d.headers, d.skipped ${from} WHERE d.org_id = $1 AND d.id = $2`,
);

/** Finds the organization of a delivery, for an operator who gives only the id of the delivery. */
export const findDeliveryOrganization = findValueWith<string, [id: string]>(
  'webhook_deliveries.organization',
  'SELECT d.org_id FROM organizations o JOIN webhook_deliveries d ON d.org_id = o.id WHERE d.id = $1',
);

/** Finds the id of the delivery with a repeat key, given by the key's SHA-256 in hexadecimal. */
export const findDeliveryOfKey = findValueWith<string, [orgId: string, triggerId: string, keyHash: string]>(
  'webhook_delivery_keys.find',
  `SELECT delivery_id FROM webhook_delivery_keys
   WHERE org_id = $1 AND trigger_id = $2 AND key_hash = decode($3, 'hex')`,
);

/** Loads the delivery that started a run, for expressions that read it. A body of more than `bytesMax` is null. */
export const loadDelivery = findWith<
  Pick<DeliveryDetail, 'headers' | 'received_at'> & { body: Buffer | null },
  [orgId: string, id: string, bytesMax: number]
>(
  'webhook_deliveries.load',
  `SELECT CASE WHEN octet_length(body) <= $3::bigint THEN body END AS body, headers, received_at
   FROM webhook_deliveries WHERE org_id = $1 AND id = $2`,
);

/** Number of a trigger's newest deliveries that a search by header examines. */
const lookBackRows = 1_000;

/** Finds the id of a delivery with this header among the newest 1,000 of a trigger. */
export const findDeliveryOfHeader = findValueWith<
  string,
  [orgId: string, triggerId: string, name: string, value: string]
>(
  'webhook_deliveries.find_by_header',
  `SELECT d.id FROM (
     SELECT id, headers FROM webhook_deliveries l WHERE ${ofTrigger('l', { orgId: '$1', triggerId: '$2' })}
     ORDER BY id DESC LIMIT ${lookBackRows}
   ) d WHERE d.headers ->> $3 = $4 LIMIT 1`,
);
