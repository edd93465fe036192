import type { Event } from '@relata/schemas';
import type { Evidence } from '../evidence/evidence.ts';
import type { ShownRecord } from '../evidence/record-evidence.ts';
import { type Check, difference } from './check.ts';
import { strayOf } from './event-checks.ts';
import { gapsOf } from './feed-checks.ts';

/** Answers that a write may get while others delete and merge the records that it names. */
const possible = new Set([undefined, 200, 201, 400, 404, 409, 503]);

/** Checks what is left after random creates, changes, deletes, restores and merges. */
export function trashChecks({ trash }: Evidence): Check[] {
  const { sent, feed, eventIds, records, entries, totals, dangling } = trash;
  const all = [...records, ...entries];
  const ids = feed.events.map(({ id }) => id);
  return [
    {
      claim: 'B7.8: the history of each record leads, without a gap, to the record or its entry in the trash',
      size: all.length,
      faults: [
        ...difference(ids, eventIds),
        ...feed.refusals,
        ...gapsOf(feed.events),
        ...strayOf(feed.events, all),
        ...difference(entries.map(idOf), deletedIn(feed.events)),
      ],
    },
    {
      claim: 'B7.8: no record refers to one that does not exist, and no link is kept for a record that does',
      size: all.length,
      faults: dangling === 0 ? [] : [`${dangling} ids`],
    },
    {
      claim: 'B7.8: kept totals are the numbers of rows',
      size: totals.length,
      faults: totals.filter(({ total, count }) => total !== count).map((each) => JSON.stringify(each)),
    },
    {
      claim: 'a delete, a restore or a merge gets an answer that it may get',
      size: sent.length,
      faults: sent
        .filter(({ answer }) => !possible.has(answer.status))
        .map(({ request, answer }) => `${request}: ${answer.status} ${answer.text.slice(0, 300)}`),
    },
  ];
}

const idOf = ({ record }: ShownRecord) => String(record['id']);

/** Returns the ids of the records whose last event says that they were deleted. */
function deletedIn(events: readonly Event[]): string[] {
  const last = new Map(events.map((event) => [event.record_id, event]));
  return [...last.values()].flatMap(({ type, record_id: id }) => (type.endsWith('.deleted') ? [id] : []));
}
