import type { Event } from '@relata/schemas';
import type { Evidence } from '../evidence/evidence.ts';
import type { ShownRecord } from '../evidence/record-evidence.ts';
import { check, type Check, difference } from './check.ts';
import { strayOf } from './event-checks.ts';
import { gapsOf } from './feed-checks.ts';

/**
 * Statuses that a write may get while others delete and merge its records. Undefined means that no response arrived.
 */
const possible = new Set([undefined, 200, 201, 400, 404, 409, 503]);

/** Checks the final state after random creates, changes, deletes, restores and merges. */
export function trashChecks({ trash }: Evidence): Check[] {
  const { sent, feed, eventIds, records, entries, totals, dangling } = trash;
  const all = [...records, ...entries];
  const ids = feed.events.map(({ id }) => id);
  return [
    check(
      'the history of each record leads without a gap to the record or its entry in the trash (acceptance B7.8)',
      all,
      [
        ...difference(ids, eventIds),
        ...feed.refusals,
        ...gapsOf(feed.events),
        ...strayOf(feed.events, all),
        ...difference(entries.map(idOf), deletedIn(feed.events)),
      ],
    ),
    check(
      'no record refers to a missing record, and no link is kept for an existing record (acceptance B7.8)',
      all,
      dangling === 0 ? [] : [`${dangling} ids`],
    ),
    check(
      'stored totals equal the numbers of rows (acceptance B7.8)',
      totals,
      totals.filter(({ total, count }) => total !== count).map((each) => JSON.stringify(each)),
    ),
    check(
      'deletes, restores and merges get only expected answers',
      sent,
      sent
        .filter(({ response }) => !possible.has(response.status))
        .map(({ request, response }) => `${request}: ${response.status} ${response.text.slice(0, 300)}`),
    ),
  ];
}

const idOf = ({ record }: ShownRecord) => String(record['id']);

/** Returns the ids of the records whose last event says that they were deleted. */
function deletedIn(events: readonly Event[]): string[] {
  const last = new Map(events.map((event) => [event.record_id, event]));
  return [...last.values()].flatMap(({ type, record_id: id }) => (type.endsWith('.deleted') ? [id] : []));
}
