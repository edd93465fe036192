import { type Db, listWith, type Statement, statement } from '@relata/db';
import { memoizePerTable, type RecordTable } from '../table/record-table.ts';

/** Columns that identify a person: the e-mail address, and the parts of the name in order. */
const identityColumns = ['email', 'first_name', 'middle_name', 'last_name'];

/** Values of these columns. */
type Identity = readonly (string | null)[];

interface EventIdentities {
  id: string;
  seq: number;
  /** Values after the change (`now`) and before it. */
  now: Identity;
  before: Identity;
}

/** Maximum number of events that a statement reads. */
const eventsMax = 1_000;

const findMergedIds = listWith<{ id: string }, [orgId: string, id: string]>(
  'trash.ids_of_erased',
  `SELECT id FROM (WITH RECURSIVE merged AS (
     SELECT $2::uuid AS id UNION SELECT t.id FROM merged m JOIN trash t ON t.org_id = $1 AND t.merged_into = m.id
   ) SELECT id FROM merged) each`,
);

const keeping = memoizePerTable((table) =>
  statement<{ identity: Identity }>(`${table.name}.known_texts`, keptSql(table)),
);

/**
 * Returns the texts by which a record, and the records merged into it, can be found elsewhere. These are their ids and,
 * for people, e-mail addresses and full names, with and without the middle name. Former addresses and names come from
 * events. Names of other kinds of records are left out, since they are ordinary words.
 */
export async function findKnownTexts(
  db: Db,
  orgId: string,
  table: RecordTable<unknown>,
  id: string,
): Promise<string[]> {
  const ids = (await findMergedIds(db, orgId, id)).map((each) => each.id);
  const texts = new Set(ids);
  if (!identityColumns.every((column) => table.shown.some(({ name }) => name === column))) return [...texts];
  const add = (identity: Identity) => textsOf(identity).forEach((text) => texts.add(text));
  const kept = await db.query(keeping(table) as Statement<{ identity: Identity }>, [orgId, ids]);
  for (const { identity } of kept) add(identity);
  for (const positions = new Map<string, number>(); ;) {
    const afters = ids.map((each) => positions.get(each) ?? 0);
    const events = await listIdentities(db, orgId, ids, afters, eventsMax);
    for (const { id: recordId, seq, now, before } of events) {
      positions.set(recordId, seq);
      add(now);
      add(before);
    }
    if (events.length < eventsMax) return [...texts];
  }
}

function textsOf([email, first, middle, last]: Identity): string[] {
  const names = [
    [first, middle, last],
    [first, last],
  ].map((parts) => parts.filter(Boolean).join(' '));
  return [email, ...(first && last ? names : [])].filter((text) => typeof text === 'string');
}

const identityIn = (record: string) => `ARRAY[${identityColumns.map((name) => `${record} ->> '${name}'`).join(', ')}]`;

const keptSql = ({ name, eventName }: RecordTable<unknown>) => `
  SELECT ${identityIn('record')} AS identity FROM (
    SELECT t.record FROM trash t WHERE t.org_id = $1 AND t.id = ANY ($2::uuid[]) AND t.resource = '${eventName}'
    UNION ALL SELECT row_to_json(r) FROM ${name} r WHERE r.org_id = $1 AND r.id = ANY ($2::uuid[])
  ) kept`;

/** SQL for the values before a change. An event stores previous values only for the fields that changed. */
const identityBefore = identityColumns.map(
  (name) => `CASE WHEN e.previous -> '${name}' IS NULL THEN e.record ->> '${name}' ELSE e.previous ->> '${name}' END`,
);

const listIdentities = listWith<
  EventIdentities,
  [orgId: string, ids: readonly string[], afters: readonly number[], limit: number]
>(
  'events.known_texts',
  `SELECT e.record_id AS id, e.seq, ${identityIn('e.record')} AS now, ARRAY[${identityBefore.join(', ')}] AS before
   FROM unnest($2::uuid[], $3::bigint[]) AS given (id, after) CROSS JOIN LATERAL (
     SELECT * FROM events e WHERE e.org_id = $1 AND e.record_id = given.id AND e.seq > given.after
     ORDER BY e.seq LIMIT $4::integer
   ) e LIMIT $4::integer`,
);
