import { binaryStatement, type Db, listWith, type UnitDb } from '@relata/db';

/** Maximum number of runs in a statement; each may have a long journal. */
const runsMax = 50;
/** Maximum number of texts that are compared in a statement. */
const textsMax = 50;

/**
 * Finds the runs whose inputs, errors or steps contain one of the texts. Columns of type `json` keep the text that
 * `JSON.stringify` wrote, so a text that is escaped in the same way can be found in them. Without OFFSET, the content
 * of a run would be concatenated once per text.
 */
const searchRuns = listWith<{ id: string }, [orgId: string, ids: readonly string[], texts: readonly string[]]>(
  'workflow_runs.search_content',
  `SELECT DISTINCT id FROM (
     SELECT r.id, lower(concat(r.inputs::text, r.error::text)) AS content
     FROM workflow_runs r WHERE r.org_id = $1 AND r.id = ANY ($2::uuid[])
     UNION ALL SELECT s.run_id, lower(concat(s.input::text, s.output::text, s.error::text, s.failures::text))
     FROM workflow_run_steps s WHERE s.org_id = $1 AND s.run_id = ANY ($2::uuid[])
     OFFSET 0
   ) searched WHERE EXISTS (SELECT FROM unnest($3::text[]) AS given (text) WHERE strpos(content, given.text) > 0)`,
);

interface RunOfDelivery {
  id: string;
  delivery_id: string;
  is_ended: boolean;
}

const runColumns = `r.id, r.delivery_id, r.status IN ('succeeded', 'failed', 'cancelled') AS is_ended`;

/**
 * OFFSET makes the planner look up the runs of each delivery separately. Otherwise it may scan all runs of the
 * organization.
 */
const listRuns = listWith<RunOfDelivery, [orgId: string, deliveryIds: readonly string[]]>(
  'workflow_runs.of_erased_deliveries',
  `SELECT r.* FROM unnest($2::uuid[]) AS given (id) CROSS JOIN LATERAL (
     SELECT ${runColumns} FROM workflow_runs r WHERE r.org_id = $1 AND r.delivery_id = given.id OFFSET 0
   ) r`,
);

/**
 * Finds the deliveries among these ids that have a run whose content or journal contains one of the texts. Ignores
 * case.
 */
export async function findDeliveriesByRuns(
  db: Db,
  orgId: string,
  deliveryIds: readonly string[],
  texts: readonly string[],
): Promise<string[]> {
  const wanted = texts.map((text) => JSON.stringify(text.toLowerCase()).slice(1, -1));
  const found = new Set<string>();
  for (const part of partsOf(deliveryIds, deliveriesMax)) {
    const runs = new Map((await listRuns(db, orgId, part)).map((run) => [run.id, run.delivery_id]));
    for (const ids of partsOf([...runs.keys()], runsMax))
      for (const some of partsOf(wanted, textsMax))
        for (const { id } of await searchRuns(db, orgId, ids, some)) found.add(runs.get(id)!);
  }
  return [...found];
}

/** Maximum number of deliveries in a transaction; each may have many runs. */
export const deliveriesMax = 100;

/** Splits a list into parts of at most `size`. */
export function* partsOf<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}

const lockDeliveries = listWith<{ id: string }, [orgId: string, ids: readonly string[]]>(
  'webhook_deliveries.lock_for_erase',
  'SELECT id FROM webhook_deliveries WHERE org_id = $1 AND id = ANY ($2::uuid[]) ORDER BY id FOR UPDATE',
);

const lockRuns = listWith<RunOfDelivery, [orgId: string, ids: readonly string[]]>(
  'workflow_runs.lock_for_erase',
  `SELECT ${runColumns} FROM workflow_runs r WHERE r.org_id = $1 AND r.id = ANY ($2::uuid[]) ORDER BY r.id FOR UPDATE`,
);

const eraseRuns = listWith<{ id: string }, [orgId: string, ids: readonly string[]]>(
  'workflow_runs.erase',
  `WITH steps AS (
     DELETE FROM workflow_run_steps WHERE org_id = $1 AND run_id = ANY ($2::uuid[])
   ) DELETE FROM workflow_runs WHERE org_id = $1 AND id = ANY ($2::uuid[]) RETURNING id`,
);

/**
 * No index serves `IS NOT DISTINCT FROM`, so PostgreSQL uses the index by delivery. With `=`, it would read the
 * organization's whole part of the primary key.
 */
const erase = listWith<{ id: string }, [orgId: string, ids: readonly string[]]>(
  'webhook_deliveries.erase',
  `WITH keys AS (
     DELETE FROM webhook_delivery_keys WHERE delivery_id = ANY ($2::uuid[]) AND org_id IS NOT DISTINCT FROM $1
   ) DELETE FROM webhook_deliveries WHERE org_id = $1 AND id = ANY ($2::uuid[]) RETURNING id`,
);

/** Numbers of deleted deliveries and runs, and of deliveries that stay because one of their runs has not ended. */
export interface ErasedDeliveries {
  deliveries: number;
  runs: number;
  active: number;
}

/** Counts what `eraseDeliveries` would delete. */
export async function countErasable(db: Db, orgId: string, ids: readonly string[]): Promise<ErasedDeliveries> {
  const { ended, runs, active } = split(ids, await listRuns(db, orgId, ids));
  return { deliveries: ended.length, runs: runs.length, active };
}

/**
 * Deletes at most `deliveriesMax` deliveries with their runs and journals, except deliveries with a run that has not
 * ended. A concurrent replay waits for the lock of its delivery, and then finds that the delivery was deleted.
 */
export async function eraseDeliveries(db: UnitDb, orgId: string, ids: readonly string[]): Promise<ErasedDeliveries> {
  const locked = (await lockDeliveries(db, orgId, ids)).map(({ id }) => id);
  const found = (await listRuns(db, orgId, locked)).map(({ id }) => id);
  const { ended, runs, active } = split(locked, await lockRuns(db, orgId, found));
  for (const part of partsOf(runs, runsMax)) await eraseRuns(db, orgId, part);
  const erased = await erase(db, orgId, ended);
  return { deliveries: erased.length, runs: runs.length, active };
}

/** Returns the deliveries whose runs have all ended, those runs, and the number of the other deliveries. */
function split(ids: readonly string[], all: readonly RunOfDelivery[]) {
  const active = new Set(all.flatMap((run) => (run.is_ended ? [] : [run.delivery_id])));
  const runs = all.flatMap(({ id, delivery_id: of }) => (active.has(of) ? [] : [id]));
  return { ended: ids.filter((id) => !active.has(id)), runs, active: active.size };
}

const lowest = '00000000-0000-0000-0000-000000000000';

/** The stored part of a refused post. */
export interface KeptRefusal {
  id: string;
  body: Buffer;
  /** Headers as JSON. */
  headers: string;
  message: string;
}

const refusalsMax = 100;

const listKept = binaryStatement<KeptRefusal>(
  'webhook_refusals.kept_content',
  `SELECT id::text, coalesce(body, '') AS body, coalesce(headers, '{}')::text AS headers, concat(message, ' ', field) AS message
   FROM webhook_refusals WHERE org_id = $1 AND id > $2 ORDER BY id LIMIT ${refusalsMax}`,
);

/** Lists refused posts with a higher id than `after`, in the order of their ids; fewer than 100 if no more follow. */
export const listKeptRefusals = (db: Db, orgId: string, after = lowest) => db.query(listKept, [orgId, after]);

export const isLastPage = (refusals: readonly KeptRefusal[]) => refusals.length < refusalsMax;

export const eraseRefusals = listWith<{ id: string }, [orgId: string, ids: readonly string[]]>(
  'webhook_refusals.erase',
  'DELETE FROM webhook_refusals WHERE org_id = $1 AND id = ANY ($2::uuid[]) RETURNING id',
);
