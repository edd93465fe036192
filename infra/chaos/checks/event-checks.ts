import { isDeepStrictEqual } from 'node:util';
import type { Event } from '@relata/schemas';
import type { Evidence } from '../evidence/evidence.ts';
import { isOfRecord, type ShownRecord } from '../evidence/record-evidence.ts';
import { answersTo, effectsOf } from '../load/write.ts';
import { check, type Check, countOf, difference, minus } from './check.ts';

/** Compares events with the records, and with the writes of clients and of runs. */
export function eventChecks({ apiWrites, feeds, records, stepChanges }: Evidence): Check[] {
  const events = (feeds[0]?.events ?? []).filter(isOfRecord);
  const requests = new Set(apiWrites.flatMap(requestIdsOf));
  const acked = apiWrites.filter((write) => answersTo(write).length > 0);
  const byRuns = events.filter(({ run }) => run);
  const byClients = events.filter(({ run }) => !run);
  const written = byClients.map((event) => event.request_id ?? '');
  const counts = countOf(written);
  return [
    check('the events of a record lead to its current state', records, strayOf(events, records)),
    check(
      'an acknowledged write has its event (B3.1)',
      acked,
      acked.filter((write) => count(counts, requestIdsOf(write)) !== effectsOf(write)).map(nameOf),
    ),
    check('every event belongs to a write (B3.1)', byClients, [
      ...minus(new Set(written), requests),
      ...byClients.filter(({ actor }) => actor.type !== 'api_key').map(({ id }) => id),
    ]),
    check(
      'each step that changed a record has its event, and no other step has one (B3.1)',
      stepChanges,
      difference(
        byRuns.map(({ run, type, record_id: id }) => `${run!.id} ${run!.step} ${type} ${id}`),
        stepChanges.map(({ run_id: run, path, type, record_id: id }) => `${run} ${path} ${type} ${id}`),
      ),
    ),
  ];
}

function requestIdsOf({ attempts, replay }: Evidence['apiWrites'][number]): string[] {
  return [...attempts, ...(replay ? [replay] : [])].map(({ requestId }) => requestId);
}

function count(counts: ReadonlyMap<string, number>, items: readonly string[]): number {
  return items.reduce((sum, item) => sum + (counts.get(item) ?? 0), 0);
}

function nameOf({ kind, nonce }: Evidence['apiWrites'][number]): string {
  return `${kind} ${nonce}`;
}

/**
 * Returns the records that have no event or differ from their last event, and the ids of records that have events but
 * do not exist.
 */
export function strayOf(events: readonly Event[], records: readonly ShownRecord[]): string[] {
  const last = new Map(events.map((event) => [event.record_id, event]));
  const other = records.filter(({ type, record }) => {
    const event = last.get(String(record['id']));
    return event?.record_type !== type || !isDeepStrictEqual(event.record, record);
  });
  const missing = minus(
    last.keys(),
    records.map(({ record }) => String(record['id'])),
  );
  return [...other.map(({ record }) => JSON.stringify(record).slice(0, 300)), ...missing];
}
