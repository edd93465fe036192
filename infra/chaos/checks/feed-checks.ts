import { isDeepStrictEqual } from 'node:util';
import type { Event } from '@relata/schemas';
import type { Evidence } from '../evidence/evidence.ts';
import { isOfRecord } from '../evidence/record-evidence.ts';
import { check, type Check, difference } from './check.ts';

/** Checks the events that each reader of the feed received. */
export function feedChecks({ feeds, eventIds, histories }: Evidence): Check[] {
  const size = feeds.reduce((sum, { events }) => sum + events.length, 0);
  return [
    check(
      'every reader of the feed sees every event once (B3.2)',
      size,
      feeds.flatMap(({ events, refusals }) => [
        ...difference(
          events.map(({ id }) => id),
          eventIds,
        ),
        ...refusals,
      ]),
    ),
    check(
      'all readers see the events in one ascending order (B3.2)',
      size,
      feeds.flatMap(({ events }) => misplacedOf(events, eventIds)),
    ),
    check(
      'each change in the feed continues from the previous state of its record (acceptance B3.2)',
      size,
      feeds.flatMap(({ events }) => gapsOf(events.filter(isOfRecord))),
    ),
    check(
      'the history of a record equals its events in the feed',
      histories.size,
      feeds.flatMap(({ events }) => [...histories].flatMap(([id, history]) => unlike(id, history, events))),
    ),
  ];
}

/** Returns the first event of a feed that differs from the id at its position in `ids`. */
function misplacedOf(events: readonly Event[], ids: readonly string[]): string[] {
  const at = events.findIndex(({ id }, place) => id !== ids[place]);
  return at === -1 ? [] : [`at ${at}: ${events[at]!.id} rather than ${ids[at]}`];
}

/** Returns the events that do not follow from the previous event of their record. */
export function gapsOf(events: readonly Event[]): string[] {
  const last = new Map<string, Event>();
  return events.flatMap((event) => {
    const before = last.get(event.record_id);
    last.set(event.record_id, event);
    return follows(event, before) ? [] : [`${event.type} ${event.id} of ${event.record_id}`];
  });
}

/**
 * Returns true if an event can follow the previous event of its record. The first event is `created`. An update or a
 * merge contains all data to restore the previous state. A merge can leave all fields unchanged. A delete changes no
 * field, and only a deleted record can be restored.
 */
function follows(event: Event, before: Event | undefined): boolean {
  const verb = event.type.split('.').at(-1);
  if (!before) return verb === 'created';
  const isDeleted = before.type.endsWith('.deleted');
  if (verb === 'restored') return isDeleted && isRestored(event.record, before.record);
  if (verb === 'deleted') return !isDeleted && isDeepStrictEqual(event.record, before.record);
  return (
    !isDeleted && (verb === 'merged' || (verb === 'updated' && !!event.changed?.length)) && leadsBack(event, before)
  );
}

function leadsBack({ record, changed = [], previous }: Event, before: Event): boolean {
  const { updated_at: updatedAt } = before.record;
  const kept = Object.entries(record).filter(([name]) => !changed.includes(name));
  const undone = { ...Object.fromEntries(kept), ...previous, updated_at: updatedAt };
  return isDeepStrictEqual(undone, before.record) && String(record['updated_at']) > String(updatedAt);
}

/** Returns true if a restored record has its old fields. Links are ignored, because their targets may be deleted. */
function isRestored(record: Event['record'], before: Event['record']): boolean {
  const rest = ({
    updated_at: _at,
    account_id: _account,
    contact_ids: _contacts,
    opportunity_ids: _deals,
    ...kept
  }: Event['record']) => kept;
  return isDeepStrictEqual(rest(record), rest(before)) && String(record['updated_at']) > String(before['updated_at']);
}

function unlike(id: string, history: readonly Event[], events: readonly Event[]): string[] {
  const seen = events.filter((event) => event.record_id === id);
  return isDeepStrictEqual(history, seen) ? [] : [`${id}: ${history.length} events in its history, ${seen.length}`];
}
