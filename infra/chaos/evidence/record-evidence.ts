import { type Database, statement } from '@relata/db';
import type { Event } from '@relata/schemas';
import type { ApiClient } from '../load/api-client.ts';
import type { ApiLoad } from '../load/api-load.ts';
import type { RecordWriters } from '../load/record-writers.ts';

/** The events that one reader of the feed saw. */
export interface FeedSeen {
  events: readonly Event[];
  /** Answers that no reader should get. */
  refusals: readonly string[];
}

export interface ShownRecord {
  /** The resource, as event types name it. */
  type: string;
  record: Record<string, unknown>;
}

/** A step of a run that made or changed a record, as its journal says. */
interface StepChange {
  run_id: string;
  path: string;
  type: string;
  record_id: string;
}

const selectEventIds = statement<{ id: string }>(
  'chaos.events',
  'SELECT id FROM events WHERE org_id = $1 ORDER BY seq',
);

const stepChanges = statement<StepChange>(
  'chaos.step_changes',
  `SELECT run_id, path, split_part(use, '.', 1) || '.' || coalesce(output ->> 'action', 'created') AS type,
     output ->> 'id' AS record_id
   FROM workflow_run_steps
   WHERE org_id = $1 AND status = 'succeeded' AND output ->> 'action' IS DISTINCT FROM 'unchanged'
     AND use IN ('activity.create', 'contact.upsert', 'account.upsert')`,
);

const lists = {
  account: '/v1/records/accounts',
  contact: '/v1/records/contacts',
  activity: '/v1/activities/custom',
};

/** Returns true for an event of a record, false for one of an object that operators set up. */
export function isOfRecord({ record_type: type }: Event): boolean {
  return Object.hasOwn(lists, type);
}

/**
 * Repeats all writes that have an idempotency key, lets the readers of the feed catch up, and collects the evidence.
 */
export async function collectRecordEvidence(
  db: Database,
  orgId: string,
  { client, writers, readers }: ApiLoad<RecordWriters>,
) {
  await writers.replay();
  const eventIds = await findEventIds(db, orgId);
  await Promise.all(readers.map((reader) => reader.end(eventIds.at(-1) ?? '')));
  const feeds: readonly FeedSeen[] = readers;
  return {
    apiWrites: writers.writes,
    feeds,
    /** The ids of all events in the order of their numbers. */
    eventIds,
    records: await allRecords(client),
    /** Events of the contacts that many writers change. */
    histories: new Map(await Promise.all(writers.sharedIds.map((id) => historyOf(client, id)))),
    stepChanges: await db.query(stepChanges, [orgId]),
  };
}

export async function findEventIds(db: Database, orgId: string): Promise<string[]> {
  return (await db.query(selectEventIds, [orgId])).map(({ id }) => id);
}

async function allRecords(client: ApiClient): Promise<ShownRecord[]> {
  const found = await Promise.all(Object.entries(lists).map(([type, path]) => listAll(client, type, path)));
  return found.flat();
}

export async function listAll(client: ApiClient, type: string, path: string): Promise<ShownRecord[]> {
  const found: ShownRecord[] = [];
  for (let hasMore = true; hasMore;) {
    type Page = { data: ShownRecord['record'][]; has_more: boolean };
    const page = await client.read<Page>(`${path}?limit=100&offset=${found.length}`);
    found.push(...page.data.map((record) => ({ type, record })));
    hasMore = page.has_more;
  }
  return found;
}

async function historyOf(client: ApiClient, id: string): Promise<[string, Event[]]> {
  const found: Event[] = [];
  for (let [cursor, hasMore] = ['start', true]; hasMore;) {
    type Page = { data: Event[]; next_cursor: string; has_more: boolean };
    const page = await client.read<Page>(`${lists.contact}/${id}/history?limit=1000&after=${cursor}`);
    found.push(...page.data);
    [cursor, hasMore] = [page.next_cursor, page.has_more];
  }
  return [id, found];
}
