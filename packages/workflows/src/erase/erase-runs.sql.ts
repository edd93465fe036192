import { binaryStatement, type Db, listWith, statement, type UnitDb } from '@relata/db';

/** Number of runs in a statement; each may have a long journal. */
const runsMax = 50;

interface SearchedRun {
  id: string;
  delivery_id: string;
  is_match: boolean;
}

const isIn = (json: string) => `strpos(lower(${json}), given.text) > 0`;

/** JSON in `json` is as it was written: `JSON.stringify` escapes only quotes, backslashes and control characters. */
const searchRuns = listWith<
  SearchedRun,
  [orgId: string, low: string, high: string, after: string, texts: readonly string[]]
>(
  'workflow_runs.search_content',
  `SELECT r.id, r.delivery_id, EXISTS (SELECT FROM unnest($5::text[]) AS given (text) WHERE
       ${isIn('concat(r.inputs::text, r.error::text)')}
       OR EXISTS (SELECT FROM workflow_run_steps s WHERE s.org_id = r.org_id AND s.run_id = r.id
         AND ${isIn('concat(s.input::text, s.output::text, s.error::text, s.failures::text)')})
     ) AS is_match
   FROM (
     SELECT * FROM workflow_runs WHERE org_id = $1 AND delivery_id >= $2 AND delivery_id < $3
       AND (delivery_id, id) > ($2::uuid, $4::uuid) ORDER BY delivery_id, id LIMIT ${runsMax}
   ) r ORDER BY r.delivery_id, r.id`,
);

const lowest = '00000000-0000-0000-0000-000000000000';

/** Finds the deliveries within a range of ids of which a run or its journal contains one of the texts, in any case. */
export async function findDeliveriesByRuns(
  db: Db,
  orgId: string,
  { low, high }: { low: string; high: string },
  texts: readonly string[],
): Promise<string[]> {
  const wanted = texts.map((text) => JSON.stringify(text.toLowerCase()).slice(1, -1));
  const found = new Set<string>();
  for (let [delivery, after] = [low, lowest]; ;) {
    const runs = await searchRuns(db, orgId, delivery, high, after, wanted);
    for (const run of runs) if (run.is_match) found.add(run.delivery_id);
    const last = runs.at(-1);
    if (!last || runs.length < runsMax) return [...found];
    [delivery, after] = [last.delivery_id, last.id];
  }
}

const lockDeliveries = listWith<{ id: string }, [orgId: string, ids: readonly string[]]>(
  'webhook_deliveries.lock_for_erase',
  'SELECT id FROM webhook_deliveries WHERE org_id = $1 AND id = ANY ($2::uuid[]) ORDER BY id FOR UPDATE',
);

const lockRuns = listWith<{ delivery_id: string; is_ended: boolean }, [orgId: string, deliveryIds: readonly string[]]>(
  'workflow_runs.lock_for_erase',
  `SELECT delivery_id, status IN ('succeeded', 'failed', 'cancelled') AS is_ended FROM workflow_runs
   WHERE org_id = $1 AND delivery_id = ANY ($2::uuid[]) ORDER BY id FOR UPDATE`,
);

const erase = statement<{ deliveries: number; runs: number }>(
  'webhook_deliveries.erase',
  `WITH runs AS MATERIALIZED (
     SELECT id FROM workflow_runs WHERE org_id = $1 AND delivery_id = ANY ($2::uuid[])
   ), steps AS (
     DELETE FROM workflow_run_steps WHERE org_id = $1 AND run_id = ANY (ARRAY(SELECT id FROM runs))
   ), ended AS (
     DELETE FROM workflow_runs WHERE org_id = $1 AND id = ANY (ARRAY(SELECT id FROM runs)) RETURNING 1
   ), keys AS (
     DELETE FROM webhook_delivery_keys WHERE org_id = $1 AND delivery_id = ANY ($2::uuid[])
   ), erased AS (
     DELETE FROM webhook_deliveries WHERE org_id = $1 AND id = ANY ($2::uuid[]) RETURNING 1
   )
   SELECT (SELECT count(*)::integer FROM erased) AS deliveries, (SELECT count(*)::integer FROM ended) AS runs`,
);

/** Numbers of erased rows, and of deliveries that stay because one of their runs has not ended. */
export interface ErasedDeliveries {
  deliveries: number;
  runs: number;
  active: number;
}

/** Deletes deliveries with their runs and journals; those with a run that has not ended stay. */
export async function eraseDeliveries(db: UnitDb, orgId: string, ids: readonly string[]): Promise<ErasedDeliveries> {
  const locked = await lockDeliveries(db, orgId, ids);
  const runs = await lockRuns(db, orgId, ids);
  const active = new Set(runs.flatMap((run) => (run.is_ended ? [] : [run.delivery_id])));
  const ended = locked.flatMap(({ id }) => (active.has(id) ? [] : [id]));
  const [erased] = await db.query(erase, [orgId, ended]);
  return { ...erased!, active: active.size };
}

/** A refused post as far as it was kept. */
export interface KeptRefusal {
  id: string;
  body: Buffer;
  /** JSON. */
  headers: string;
  message: string;
}

const refusalsMax = 100;

const listKept = binaryStatement<KeptRefusal>(
  'webhook_refusals.kept_content',
  `SELECT id::text, coalesce(body, '') AS body, coalesce(headers, '{}')::text AS headers, concat(message, ' ', field) AS message
   FROM webhook_refusals WHERE org_id = $1 AND id > $2 ORDER BY id LIMIT ${refusalsMax}`,
);

/** Lists the refused posts behind an id; fewer than 100 if no more follow. */
export const listKeptRefusals = (db: Db, orgId: string, after = lowest) => db.query(listKept, [orgId, after]);

export const isLastPage = (refusals: readonly KeptRefusal[]) => refusals.length < refusalsMax;

export const eraseRefusals = listWith<{ id: string }, [orgId: string, ids: readonly string[]]>(
  'webhook_refusals.erase',
  'DELETE FROM webhook_refusals WHERE org_id = $1 AND id = ANY ($2::uuid[]) RETURNING id',
);
