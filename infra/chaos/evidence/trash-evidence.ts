import { type Database, onlyRow, statement } from '@relata/db';
import type { TrashEntry } from '@relata/schemas';
import type { ApiClient } from '../load/api-client.ts';
import type { ApiLoad } from '../load/api-load.ts';
import { kinds, type TrashWriters } from '../load/trash-writers.ts';
import { type FeedSeen, findEventIds, listAll, type ShownRecord } from './record-evidence.ts';

const counts = statement<Record<keyof typeof kinds, number>>(
  'chaos.counts',
  `SELECT (SELECT count(*) FROM accounts WHERE org_id = $1)::integer AS account,
     (SELECT count(*) FROM contacts WHERE org_id = $1)::integer AS contact,
     (SELECT count(*) FROM opportunities WHERE org_id = $1)::integer AS opportunity,
     (SELECT count(*) FROM custom_activities WHERE org_id = $1)::integer AS activity`,
);

const without = (table: string, column: string, target: string, id = `r.${column}`) =>
  `SELECT FROM ${table} r WHERE r.org_id = $1 AND ${id} IS NOT NULL
     AND NOT EXISTS (SELECT FROM ${target} t WHERE t.org_id = r.org_id AND t.id = ${id})`;

const countDangling = statement<{ n: number }>(
  'chaos.dangling',
  `SELECT count(*)::integer AS n FROM (${[
    without('contacts', 'account_id', 'accounts'),
    without('opportunities', 'account_id', 'accounts'),
    without('(SELECT org_id, unnest(contact_ids) AS contact_id FROM opportunities)', 'contact_id', 'contacts'),
    without('custom_activity_contacts', 'contact_id', 'contacts'),
    without('custom_activity_opportunities', 'opportunity_id', 'opportunities'),
    without('trash_links', 'id', '(SELECT org_id, id FROM trash WHERE record IS NOT NULL)'),
  ].join(' UNION ALL ')}) each`,
);

/**
 * Lets the reader of the feed catch up. Returns the final state of an organization whose records are deleted, restored
 * and merged.
 */
export async function collectTrashEvidence(
  db: Database,
  orgId: string,
  { client, writers, readers: [reader] }: ApiLoad<TrashWriters>,
) {
  const eventIds = await findEventIds(db, orgId);
  await reader!.end(eventIds.at(-1) ?? '');
  const feed: FeedSeen = reader!;
  const lists = Object.entries(kinds);
  const counted = await onlyRow(db, counts, [orgId]);
  const totals = lists.map(async ([kind, path]) => ({
    kind,
    total: (await client.read<{ total: number }>(`${path}?limit=1`)).total,
    count: counted[kind as keyof typeof kinds],
  }));
  return {
    sent: writers.sent,
    feed,
    eventIds,
    records: (await Promise.all(lists.map(([kind, path]) => listAll(client, kind, path)))).flat(),
    /** Deleted records as they were before their deletion. */
    entries: await listEntries(client),
    /** The total that a list returns, and the number of rows. */
    totals: await Promise.all(totals),
    /** Number of links to missing records, plus the number of kept links whose record is not in the trash. */
    dangling: (await onlyRow(db, countDangling, [orgId])).n,
  };
}

async function listEntries(client: ApiClient): Promise<ShownRecord[]> {
  const found: ShownRecord[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    type Page = { data: TrashEntry[]; next_cursor?: string };
    const page: Page = await client.read<Page>(`/v1/trash?limit=100${cursor && `&cursor=${cursor}`}`);
    found.push(...page.data.map(({ resource, record }) => ({ type: resource, record: { ...record } })));
    cursor = page.next_cursor;
  }
  return found;
}
