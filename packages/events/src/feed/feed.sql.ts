import { type Db, type Statement, statement } from '@relata/db';
import type { StoredActor } from '../event-origin.ts';

/** An event as it is stored. */
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
  /** As PostgreSQL makes JSON of a row. */
  previous: Record<string, unknown> | null;
  record: Record<string, unknown> | null;
}

/** Which events are asked for; all of it must hold. */
export interface EventFilters {
  /** `account.created`, or `account.*`. */
  types?: readonly string[] | undefined;
  recordId?: string | undefined;
  actorId?: string | undefined;
  requestId?: string | undefined;
  /** The name of a field that the change was of. */
  changed?: string | undefined;
  /** ISO 8601. */
  from?: string | undefined;
  before?: string | undefined;
}

/** A part of an organization's feed: behind `after`, up to `upTo`, at most so many that match of at most so many. */
export interface EventRange {
  orgId: string;
  after: number;
  upTo: number;
  isDescending: boolean;
  limit: number;
  scan: number;
  /** The server of which this is known; none is read where another one is asked. */
  server?: string | undefined;
}

/** Statistics begin anew when a server recovers from a crash, also where its first process goes on. */
const serverSql = 'concat(pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time())';

const columns = 'id, seq, created_at, type, record_id, actor, request_id, depth, changed, previous, record';

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

/** The events of a range that match, in its order. */
export function readEvents(db: Db, range: EventRange, filters: EventFilters): Promise<StoredEvent[]> {
  const { orgId, after, upTo, isDescending, limit, scan, server } = range;
  const read = reading[filters.recordId === undefined ? 'feed' : 'record'][isDescending ? 'desc' : 'asc'];
  const { types, recordId, actorId, requestId, changed, from, before } = filters;
  const given = [types, recordId, actorId, requestId, changed, from, before, server].map((value) => value ?? null);
  return db.query(read, [orgId, after, upTo, scan, limit, ...given]);
}

/** Where in the feed an event stands. */
export interface Position {
  id: string;
  seq: number;
}

/** The last event that a range looks at, and how many it looks at. */
export interface Scanned extends Position {
  scanned: number;
}

function lastStatement(order: 'ASC' | 'DESC'): Statement<Scanned> {
  const part = `SELECT id, seq FROM events WHERE org_id = $1 AND seq > $2 AND seq <= $3 ORDER BY seq ${order} LIMIT $4`;
  const numbered = `SELECT id, seq, row_number() OVER (ORDER BY seq ${order}) AS scanned FROM (${part}) part`;
  const text = `SELECT id, seq, scanned FROM (${numbered}) numbered ORDER BY scanned DESC LIMIT 1`;
  return statement(`events.last_${order.toLowerCase()}`, text);
}

const lastScanned = { asc: lastStatement('ASC'), desc: lastStatement('DESC') };

/** The last event of those that a range looks at, whether it matches or not. */
export async function findLastScanned(db: Db, range: EventRange): Promise<Scanned | undefined> {
  const { orgId, after, upTo, isDescending, scan } = range;
  const [last] = await db.query(lastScanned[isDescending ? 'desc' : 'asc'], [orgId, after, upTo, scan]);
  return last;
}

const find = statement<StoredEvent>('events.find', `SELECT ${columns} FROM events WHERE org_id = $1 AND id = $2`);

/** An event, or undefined where the organization has none of this id. */
export async function findEvent(db: Db, orgId: string, id: string): Promise<StoredEvent | undefined> {
  const [found] = await db.query(find, [orgId, id]);
  return found;
}

const position = statement<Position>('events.position', 'SELECT id, seq FROM events WHERE org_id = $1 AND id = $2');

/** Where an event stands, or undefined where the organization has none of this id. */
export async function findPosition(db: Db, orgId: string, id: string): Promise<Position | undefined> {
  const [found] = await db.query(position, [orgId, id]);
  return found;
}

const since = statement<Position>(
  'events.since',
  'SELECT id, seq FROM events WHERE org_id = $1 AND id >= $2 ORDER BY id LIMIT 1',
);

/** The first event whose id is not below another, or undefined if there is none. */
export async function findSince(db: Db, orgId: string, id: string): Promise<Position | undefined> {
  const [found] = await db.query(since, [orgId, id]);
  return found;
}

const ends = statement<{
  first_id: string | null;
  first_seq: number | null;
  last_id: string | null;
  last_seq: number | null;
}>(
  'events.ends',
  `SELECT f.id AS first_id, f.seq AS first_seq, l.id AS last_id, l.seq AS last_seq
   FROM (SELECT) one
   LEFT JOIN LATERAL (SELECT id, seq FROM events WHERE org_id = $1 ORDER BY seq LIMIT 1) f ON true
   LEFT JOIN LATERAL (SELECT id, seq FROM events WHERE org_id = $1 AND seq <= $2 ORDER BY seq DESC LIMIT 1) l ON true`,
);

export interface FeedEnds {
  oldest: Position | undefined;
  /** Of those up to a number. */
  newest: Position | undefined;
}

/** The oldest event that is kept, and the newest up to `upTo`. */
export async function findEnds(db: Db, orgId: string, upTo: number): Promise<FeedEnds> {
  const [row] = await db.query(ends, [orgId, upTo]);
  const { first_id: firstId, first_seq: firstSeq, last_id: lastId, last_seq: lastSeq } = row!;
  return {
    oldest: firstId === null ? undefined : { id: firstId, seq: firstSeq! },
    newest: lastId === null ? undefined : { id: lastId, seq: lastSeq! },
  };
}

const look = statement<Look>('events.look', `SELECT last_seq, writers, ${serverSql} AS server FROM look_at_events($1)`);

export interface Look {
  last_seq: number;
  /** Transactions that may still write a number up to `last_seq`. */
  writers: string[];
  /** Another one after the server was replaced, or began anew after a crash. */
  server: string;
}

/** What has been given out, and who may still write a number up to that. */
export async function lookAtEvents(db: Db, orgId: string): Promise<Look> {
  const [found] = await db.query(look, [orgId]);
  return found!;
}
