import { isDeepStrictEqual } from 'node:util';
import type { Event } from '@relata/schemas';
import type { Evidence } from '../evidence/evidence.ts';
import { isOfRecord } from '../evidence/record-evidence.ts';
import { type Check, difference } from './check.ts';

/** Checks what each reader of the feed was shown. */
export function feedChecks({ feeds, eventIds, histories }: Evidence): Check[] {
  const size = feeds.reduce((sum, { events }) => sum + events.length, 0);
  return [
    {
      claim: 'every reader of the feed sees every event once (B3.2)',
      size,
      faults: feeds.flatMap(({ events, refusals }) => [
        ...difference(
          events.map(({ id }) => id),
          eventIds,
        ),
        ...refusals,
      ]),
    },
    {
      claim: 'all readers see the events in one ascending order (B3.2)',
      size,
      faults: feeds.flatMap(({ events }) => misplacedOf(events, eventIds)),
    },
    {
      claim: 'B3.2: in the feed each change of a record begins with what the one before left',
      size,
      faults: feeds.flatMap(({ events }) => gapsOf(events.filter(isOfRecord))),
    },
    {
      claim: 'the history of a record is what the feed has of it',
      size: histories.size,
      faults: feeds.flatMap(({ events }) => [...histories].flatMap(([id, history]) => unlike(id, history, events))),
    },
  ];
}

/** The first event of a feed that is not where its number says. */
function misplacedOf(events: readonly Event[], ids: readonly string[]): string[] {
  const at = events.findIndex(({ id }, place) => id !== ids[place]);
  return at === -1 ? [] : [`at ${at}: ${events[at]!.id} rather than ${ids[at]}`];
}

function gapsOf(events: readonly Event[]): string[] {
  const last = new Map<string, Event>();
  return events.flatMap((event) => {
    const before = last.get(event.record_id);
    last.set(event.record_id, event);
    return follows(event, before) ? [] : [`${event.type} ${event.id} of ${event.record_id}`];
  });
}

/** A record begins with `created`, and every later event holds what it takes to go back to the one before. */
function follows({ type, record, changed, previous }: Event, before: Event | undefined): boolean {
  if (!before) return type.endsWith('.created');
  if (!type.endsWith('.updated') || !changed?.length) return false;
  const { updated_at: updatedAt } = before.record;
  const kept = Object.entries(record).filter(([name]) => !changed.includes(name));
  const undone = { ...Object.fromEntries(kept), ...previous, updated_at: updatedAt };
  return isDeepStrictEqual(undone, before.record) && String(record['updated_at']) > String(updatedAt);
}

function unlike(id: string, history: readonly Event[], events: readonly Event[]): string[] {
  const seen = events.filter((event) => event.record_id === id);
  return isDeepStrictEqual(history, seen) ? [] : [`${id}: ${history.length} events in its history, ${seen.length}`];
}
