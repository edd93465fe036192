import { type Db, findWith, firstRow, readWith, type Statement, statement } from '@relata/db';
import type { StoredActor } from '../event-origin.ts';

/** An event in the format of the database. */
export interface StoredEvent {
  id: string;
  seq: number;
  created_at: string;
  type: string;
  record_id: string;
  actor: StoredActor;
  request_id: string | null;
  depth: number;
  changed: string[] | null;
  /** Row as PostgreSQL converts it to JSON. */
  previous: Record<string, unknown> | null;
  /** Null if the record was erased. */
  record: Record<string, unknown> | null;
  details: EventDetails | null;
}

/** Further facts about a change. */
interface EventDetails {
  /** Number of records that matched when this record was chosen. */
  candidate_count?: number;
  /** Identifies the delete of a record that was deleted or restored. */
  deletion_id?: string;
}

/** Filters for events; all of them must match. */
export interface EventFilters {
  /** Types such as `account.created` or `account.*`. */
  types?: readonly string[] | undefined;
  recordId?: string | undefined;
  actorId?: string | undefined;
  requestId?: string | undefined;
  /** Name of a changed field. */
  changed?: string | undefined;
  /** Earliest time, in ISO 8601. */
  from?: string | undefined;
  before?: string | undefined;
}

/**
 * A part of an organization's feed: the events with numbers above `after` and up to `upTo`. A read returns at most
 * `limit` matching events and examines at most `scan` events.
 */
export interface EventRange {
  orgId: string;
  after: number;
  upTo: number;
  isDescending: boolean;
  limit: number;
  scan: number;
  /** The server for which the range is known; nothing is read if another server answers. */
  server?: string | undefined;
}

/**
 * Identifies a server process. Its statistics are reset when it recovers from a crash, even if the postmaster
 * continues.
 */
const serverSql = 'concat(pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time())';

const columns = 'id, seq, created_at, type, record_id, actor, request_id, depth, changed, previous, record, details';

const matches = `(($6::text[] IS NULL OR type = ANY ($6) OR split_part(type, '.', 1) || '.*' = ANY ($6))
  AND ($7::uuid IS NULL OR record_id = $7)
  AND ($8::text IS NULL OR actor ->> 'id' = $8)
  AND ($9::text IS NULL OR request_id = $9)
  AND ($10::text IS NULL OR $10 = ANY (changed))
  AND ($11::timestamptz IS NULL OR created_at >= $11)
  AND ($12::timestamptz IS NULL OR created_at < $12)
  AND ($13::text IS NULL OR $13 = (SELECT ${serverSql})))`;

const inFeed = (order: string) =>
  `SELECT * FROM events WHERE org_id = $1 AND seq > $2 AND seq <= $3 ORDER BY seq ${order} LIMIT $4`;
const ofRecord = (order: string) =>
  `SELECT * FROM events WHERE org_id = $1 AND record_id = $7 AND seq > $2 AND seq <= $3 ORDER BY seq ${order} LIMIT $4`;

function readStatement(name: string, part: (order: string) => string, order: 'ASC' | 'DESC'): Statement<StoredEvent> {
  const text = `SELECT ${columns} FROM (${part(order)}) part WHERE ${matches} ORDER BY seq ${order} LIMIT $5`;
  return statement(`events.${name}_${order.toLowerCase()}`, text);
}

const reading = {
  feed: { asc: readStatement('feed', inFeed, 'ASC'), desc: readStatement('feed', inFeed, 'DESC') },
  record: { asc: readStatement('record', ofRecord, 'ASC'), desc: readStatement('record', ofRecord, 'DESC') },
};

/** Returns the matching events of a range, in its order. */
export function readEvents(db: Db, range: EventRange, filters: EventFilters): Promise<StoredEvent[]> {
  const { orgId, after, upTo, isDescending, limit, scan, server } = range;
  const read = reading[filters.recordId === undefined ? 'feed' : 'record'][isDescending ? 'desc' : 'asc'];
  const { types, recordId, actorId, requestId, changed, from, before } = filters;
  const given = [types, recordId, actorId, requestId, changed, from, before, server].map((value) => value ?? null);
  return db.query(read, [orgId, after, upTo, scan, limit, ...given]);
}

export interface Position {
  id: string;
  seq: number;
}

/** The last event that a range examines, and the number of examined events. */
export interface Scanned extends Position {
  scanned: number;
}

function lastStatement(order: 'ASC' | 'DESC'): Statement<Scanned> {
  // Reads only the index, and the row of the last event.
  const part = `SELECT seq FROM events WHERE org_id = $1 AND seq > $2 AND seq <= $3 ORDER BY seq ${order} LIMIT $4`;
  const counted = `SELECT ${order === 'ASC' ? 'max' : 'min'}(seq) AS last, count(*) AS scanned FROM (${part}) part`;
  const text = `SELECT id, seq, scanned FROM (${counted}) counted JOIN events ON org_id = $1 AND seq = last`;
  return statement(`events.last_${order.toLowerCase()}`, text);
}

const lastScanned = { asc: lastStatement('ASC'), desc: lastStatement('DESC') };

/** Returns the last event that a range examines, whether or not it matches. */
export function findLastScanned(db: Db, range: EventRange): Promise<Scanned | undefined> {
  const { orgId, after, upTo, isDescending, scan } = range;
  return firstRow(db, lastScanned[isDescending ? 'desc' : 'asc'], [orgId, after, upTo, scan]);
}

export const findEvent = findWith<StoredEvent, [orgId: string, id: string]>(
  'events.find',
  `SELECT ${columns} FROM events WHERE org_id = $1 AND id = $2`,
);

export const findPosition = findWith<Position, [orgId: string, id: string]>(
  'events.position',
  'SELECT id, seq FROM events WHERE org_id = $1 AND id = $2',
);

/** Returns the first event whose id is at least the given id; undefined if there is none. */
export const findSince = findWith<Position, [orgId: string, id: string]>(
  'events.since',
  'SELECT id, seq FROM events WHERE org_id = $1 AND id >= $2 ORDER BY id LIMIT 1',
);

const endOf = (condition: string) =>
  `(SELECT json_build_object('id', id, 'seq', seq) FROM events WHERE org_id = $1 ${condition} LIMIT 1)`;

/** Returns the oldest stored event, and the newest up to a number; null if there is none. */
export const findEnds = readWith<{ oldest: Position | null; newest: Position | null }, [orgId: string, upTo: number]>(
  'events.ends',
  `SELECT ${endOf('ORDER BY seq')} AS oldest, ${endOf('AND seq <= $2 ORDER BY seq DESC')} AS newest`,
);

/** Returns the last drawn number, and the transactions that may still write a number up to it. */
export const lookAtEvents = readWith<Look, [orgId: string]>(
  'events.look',
  `SELECT last_seq, writers, ${serverSql} AS server FROM look_at_events($1)`,
);

export interface Look {
  last_seq: number;
  /** Active transactions that may still write a number up to `last_seq`. */
  writers: string[];
  /** Identifies the server; it changes if the server was replaced, or restarted after a crash. */
  server: string;
}
