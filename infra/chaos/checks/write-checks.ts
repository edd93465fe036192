import { isDeepStrictEqual } from 'node:util';
import type { Event } from '@relata/schemas';
import type { Evidence } from '../evidence/evidence.ts';
import { answersTo, effectsOf, isInProgress, recordsIn, type Write, type WriteAttempt } from '../load/write.ts';
import { check, type Check, countOf } from './check.ts';

/** Compares the responses to writes through the API with the records and with each other. */
export function writeChecks({ apiWrites, records, feeds }: Evidence): Check[] {
  const events = eventsByRequest(feeds[0]?.events ?? []);
  const contacts = countOf(records.map(({ record }) => String(record['email'])));
  const named = apiWrites.filter(({ isNamed }) => isNamed);
  const answered = named.filter((write) => answersTo(write).length > 0);
  const attempts = apiWrites.flatMap((write) => write.attempts.map((attempt) => ({ write, attempt })));
  const replays = named.filter(({ replay }) => replay);
  return [
    check(
      'a write with an Idempotency-Key is answered (B1.6)',
      named,
      named.filter((write) => !answered.includes(write)).map(describe),
    ),
    check(
      'a write with an Idempotency-Key is done once, however often it is sent (B1.6, B2.5, B6.4)',
      answered,
      answered.filter((write) => !isDoneOnce(write, events, contacts)).map(describe),
    ),
    check(
      'answers to one Idempotency-Key are identical, and all but one are replays',
      replays,
      replays.filter((write) => !isAnsweredAlike(write)).map(describe),
    ),
    check(
      'the answer to a write shows the same record as its event',
      apiWrites,
      apiWrites.filter((write) => !isShownBy(write, eventsOf(write, events))).map(describe),
    ),
    check(
      'every write gets the expected answer',
      attempts,
      attempts.filter(({ write, attempt }) => hasWrongStatus(write, attempt)).map(({ write }) => describe(write)),
    ),
  ];
}

type EventsByRequest = ReadonlyMap<string, readonly Event[]>;

function eventsByRequest(events: readonly Event[]): EventsByRequest {
  return Map.groupBy(events, (event) => event.request_id ?? '');
}

function eventsOf({ attempts, replay }: Write, events: EventsByRequest): Event[] {
  return [...attempts, ...(replay ? [replay] : [])].flatMap(({ requestId }) => events.get(requestId) ?? []);
}

function isDoneOnce(write: Write, events: EventsByRequest, contacts: ReadonlyMap<string, number>): boolean {
  const isMadeOnce = write.makes.every((email) => contacts.get(email) === 1);
  return isMadeOnce && eventsOf(write, events).length === effectsOf(write);
}

/**
 * Returns true if all responses to a write are equal, and all except possibly the first are replays. If the first
 * response was lost, all received responses are replays.
 */
function isAnsweredAlike(write: Write): boolean {
  const responses = answersTo(write);
  const [first] = responses;
  const isAlike = responses.every(({ text, etag }) => text === first?.text && etag === first.etag);
  const fresh = responses.filter(({ isReplayed }) => !isReplayed);
  return isAlike && fresh.length <= 1 && write.replay?.status === write.status && write.replay.isReplayed;
}

/** Returns true if the events of a write show the same records as each of its responses, if there are any. */
function isShownBy(write: Write, events: readonly Event[]): boolean {
  return answersTo(write).every((response) => {
    const shown = recordsIn(response);
    const found = shown.map(({ id }) => events.find((event) => event.record_id === id)?.record);
    return shown.length === effectsOf(write) && isDeepStrictEqual(shown, found);
  });
}

function hasWrongStatus({ status: deserved, isNamed }: Write, attempt: WriteAttempt): boolean {
  if (isInProgress(attempt)) return !isNamed || !Number(attempt.retryAfter);
  return attempt.status !== undefined && attempt.status !== deserved && attempt.status !== 503;
}

function describe({ kind, nonce, attempts, replay }: Write): string {
  const all = [...attempts, ...(replay ? [replay] : [])];
  const shown = all.map(({ status, isReplayed, sentAt, text }) => {
    const detail = status === undefined || status < 400 ? '' : ` ${text.slice(0, 200)}`;
    return `${status ?? 'no answer'}${isReplayed ? ' replayed' : ''} at ${sentAt}${detail}`;
  });
  return `${kind} ${nonce}: ${shown.join(', ')}`;
}
