import {
  batchRows,
  binaryStatement,
  type Db,
  listWith,
  onlyRow,
  type OrganizationDb,
  statement,
  type UnitDb,
  upToBytes,
} from '@relata/db';
import { lowestId } from '../list-window.ts';
import { dropDeliveries, dropsRuns, stepBytes } from '../runs/retention.sql.ts';

/**
 * Number of stored bytes after which a statement searches no further row. Decompressed, they may be 90 times as many.
 */
const searchedBytes = 500_000;
/** Maximum number of texts that a statement searches for. Searching 10 MB for one text takes 25 ms. */
const textsMax = 10;

/** SQL for a text in lower case. A final sigma becomes an ordinary one, because both have the same capital letter. */
const inLowerCase = (text: string) => `replace(lower(${text}), '\u03c2', '\u03c3')`;

interface SearchedRow {
  run_id: string;
  /** Null for the run itself, which follows its steps. */
  path: string | null;
  has_text: boolean;
}

/**
 * Searches the steps of these runs, and the inputs and error of each run, for the texts, up to a limit of rows and
 * bytes. Begins in the first run, after the step at `afterPath`. Columns of type `json` keep the string that
 * `JSON.stringify` wrote, so texts that are escaped in the same way can be found in them. PostgreSQL converts both to
 * lower case, because JavaScript has other rules. Without OFFSET, PostgreSQL would concatenate the content of a row once
 * per text.
 */
const searchRows = listWith<
  SearchedRow,
  [orgId: string, runIds: readonly string[], afterPath: string, texts: readonly string[]]
>(
  'workflow_runs.search_content',
  `SELECT run_id, path,
     EXISTS (SELECT FROM unnest($4::text[]) AS given (text) WHERE strpos(content, ${inLowerCase('given.text')}) > 0) AS has_text
   FROM (
     SELECT run_id, path, ${inLowerCase('concat(input::text, output::text, error::text, failures::text)')} AS content FROM (
       ${upToBytes(
         `(
         SELECT given.id AS run_id, each.* FROM unnest($2::uuid[]) WITH ORDINALITY AS given (id, n) CROSS JOIN LATERAL (
           (SELECT s.path, s.input, s.output, s.error, s.failures, ${stepBytes} AS bytes FROM workflow_run_steps s
            WHERE s.org_id = $1 AND s.run_id = given.id AND s.path > CASE given.n WHEN 1 THEN $3 ELSE '' END
            ORDER BY s.path)
           UNION ALL SELECT NULL, r.inputs, NULL, r.error, NULL, pg_column_size(r.inputs) FROM workflow_runs r
           WHERE r.org_id = $1 AND r.id = given.id
         ) each LIMIT ${batchRows}
       ) first`,
         searchedBytes,
       )}
     ) part OFFSET 0
   ) searched`,
);

async function searchRuns(db: Db, orgId: string, runIds: readonly string[], texts: readonly string[]) {
  const found: string[] = [];
  let [ids, afterPath] = [runIds, ''];
  while (ids.length > 0) {
    const rows = await searchRows(db, orgId, ids, afterPath, texts);
    found.push(...rows.flatMap((row) => (row.has_text ? [row.run_id] : [])));
    const last = rows.at(-1);
    if (!last) break;
    ids = ids.slice(ids.indexOf(last.run_id) + (last.path === null ? 1 : 0));
    afterPath = last.path ?? '';
  }
  return found;
}

interface RunOfDelivery {
  id: string;
  delivery_id: string;
  is_ended: boolean;
  is_begun: boolean;
}

/** Error of runs that an erase has begun to delete. It tells readers of such a run why steps are missing. */
const begunError = '{"code":"erased","message":"A part of this run was erased. If the erase ended early, repeat it."}';
/** Condition that an erase has begun to delete the delivery of a run `r`. */
const isBegun = `(r.status = 'cancelled' AND coalesce(starts_with(r.error::text, '{"code":"erased",'), false))`;

const isEnded = `r.status IN ('succeeded', 'failed', 'cancelled')`;

/** OFFSET makes the planner look up the runs of each delivery. Otherwise it may scan all runs of the organization. */
const runsOfDeliveries = `SELECT r.* FROM unnest($2::uuid[]) AS given (id) CROSS JOIN LATERAL (
     SELECT r.id, r.delivery_id, ${isEnded} AS is_ended, ${isBegun} AS is_begun
     FROM workflow_runs r WHERE r.org_id = $1 AND r.delivery_id = given.id OFFSET 0
   ) r`;

const listRuns = listWith<RunOfDelivery, [orgId: string, deliveryIds: readonly string[]]>(
  'workflow_runs.of_erased_deliveries',
  runsOfDeliveries,
);

/**
 * Finds the deliveries among these ids that have a run whose content or journal contains one of the texts, ignoring
 * case. Also finds deliveries that an earlier erase has begun to delete: it may have deleted the text.
 */
export async function findDeliveriesByRuns(
  db: Db,
  orgId: string,
  deliveryIds: readonly string[],
  texts: readonly string[],
): Promise<string[]> {
  const wanted = texts.map((text) => JSON.stringify(text).slice(1, -1));
  const found = new Set<string>();
  for (const part of partsOf(deliveryIds, deliveriesMax)) {
    const listed = await listRuns(db, orgId, part);
    for (const run of listed) if (run.is_begun) found.add(run.delivery_id);
    const runs = new Map(listed.map((run) => [run.id, run.delivery_id]));
    for (const some of partsOf(wanted, textsMax))
      for (const id of await searchRuns(db, orgId, [...runs.keys()], some)) found.add(runs.get(id)!);
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

/**
 * Locks those runs of the deliveries that have ended, the newest first, in the same order as a bulk retry. Leaves out
 * active runs, which workers lock in the opposite order, and runs that are retried while the statement waits for them.
 */
const lockEndedRuns = listWith<{ id: string }, [orgId: string, deliveryIds: readonly string[]]>(
  'workflow_runs.lock_for_erase',
  `SELECT r.id FROM workflow_runs r
   WHERE r.org_id = $1 AND r.id = ANY (ARRAY(SELECT of.id FROM (${runsOfDeliveries}) of)) AND ${isEnded}
   ORDER BY r.id DESC FOR UPDATE`,
);

/** Deletes runs delivery by delivery, so that each delivery can be deleted as early as possible. */
const eraseRuns = dropsRuns(
  'workflow_runs.erase',
  `FROM workflow_runs r WHERE r.org_id = $1 AND r.id = ANY ($2::uuid[]) ORDER BY r.delivery_id, r.id LIMIT ${batchRows}`,
);

/** Records in runs that they are being erased, so that none is retried and a later erase finds their deliveries. */
const markBegun = statement<never>(
  'workflow_runs.mark_begun_erase',
  `UPDATE workflow_runs r SET status = 'cancelled', error = '${begunError}'
   WHERE r.org_id = $1 AND r.id = ANY ($2::uuid[]) AND NOT ${isBegun}`,
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
 * ended. Commits after each part, so that no transaction grows with the journals.
 */
export async function eraseDeliveries(
  db: OrganizationDb,
  orgId: string,
  ids: readonly string[],
): Promise<ErasedDeliveries> {
  const all = { deliveries: 0, runs: 0 };
  for (;;) {
    const { active, isDone, ...part } = await db.transaction((tx) => erasePart(tx, orgId, ids));
    all.deliveries += part.deliveries;
    all.runs += part.runs;
    if (isDone) return { ...all, active };
  }
}

/**
 * Erases as many runs and deliveries as one transaction may delete. A concurrent replay waits for the lock of its
 * delivery, and then finds that the delivery was deleted.
 */
async function erasePart(db: UnitDb, orgId: string, ids: readonly string[]) {
  const locked = (await lockDeliveries(db, orgId, ids)).map(({ id }) => id);
  const endedRuns = new Set((await lockEndedRuns(db, orgId, locked)).map(({ id }) => id));
  // A run that is not locked counts as active even if it has ended meanwhile, because it can be retried at any time.
  const all = (await listRuns(db, orgId, locked)).map((run) => ({ ...run, is_ended: endedRuns.has(run.id) }));
  const { ended, runs, active } = split(locked, all);
  const { runs: erasedRuns } = await onlyRow(db, eraseRuns, [orgId, runs]);
  const { deliveries } = await onlyRow(db, dropDeliveries, [orgId, ended]);
  const isDone = deliveries === ended.length;
  if (!isDone) await db.query(markBegun, [orgId, runs]);
  return { deliveries, runs: erasedRuns, active, isDone };
}

/** Returns the deliveries whose runs have all ended, those runs, and the number of the other deliveries. */
function split(ids: readonly string[], all: readonly RunOfDelivery[]) {
  const active = new Set(all.flatMap((run) => (run.is_ended ? [] : [run.delivery_id])));
  const runs = all.flatMap(({ id, delivery_id: of }) => (active.has(of) ? [] : [id]));
  return { ended: ids.filter((id) => !active.has(id)), runs, active: active.size };
}

/** The stored part of a refused post. */
export interface KeptRefusal {
  id: string;
  body: Buffer;
  /** Headers as JSON. */
  headers: string;
  message: string;
}

const listKept = binaryStatement<KeptRefusal>(
  'webhook_refusals.kept_content',
  `SELECT id::text, coalesce(body, '') AS body, coalesce(headers, '{}')::text AS headers, concat(message, ' ', field) AS message
   FROM (${upToBytes(`(
     SELECT id, body, headers, message, field, coalesce(pg_column_size(body), 0) AS bytes FROM webhook_refusals
     WHERE org_id = $1 AND id > $2 ORDER BY id LIMIT 100
   ) first`)}) kept`,
);

/**
 * Lists refused posts with ids above `after`, in the order of their ids, up to 100 and a limit of bytes. Returns an
 * empty list if none is left.
 */
export const listKeptRefusals = (db: Db, orgId: string, after = lowestId) => db.query(listKept, [orgId, after]);

export const eraseRefusals = listWith<{ id: string }, [orgId: string, ids: readonly string[]]>(
  'webhook_refusals.erase',
  'DELETE FROM webhook_refusals WHERE org_id = $1 AND id = ANY ($2::uuid[]) RETURNING id',
);
