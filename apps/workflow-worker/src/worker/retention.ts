import { type Database, dropOldResponses } from '@relata/db';
import { dropOldEvents, findOverdueEvents } from '@relata/events';
import { dropOldNotes, dropOldNotices } from '@relata/notify';
import { dropEndedSessions, dropExpiredLinks } from '@relata/people';
import { findOverdueTrash, purgeTrash } from '@relata/records';
import { jittered, type Log, Loop, tryEach } from '@relata/runtime';
import { dropOld, dropOldRefusals, dropOldSignedPosts, findOverdueRows, foldCounts } from '@relata/workflows/execution';
import type { OverdueSeconds, RetentionKind } from './retention.metrics.ts';

const hourMs = 3_600_000;
const dayMs = 86_400_000;

export interface RetentionOptions {
  database: Database;
  log: Log;
  onSuccess: (kind: RetentionKind) => void;
  /** Days for which deliveries and ended runs are kept. */
  deliveryDays: number;
  eventDays: number;
  /** Hours for which responses to writes with an idempotency key are kept. */
  idempotencyHours: number;
  /** Days for which deleted records can be restored. */
  trashDays: number;
  /** Interval between sweeps; an hour by default. */
  everyMs?: number;
}

/** Deletes expired data periodically until disposed. */
export function startRetention({ everyMs = hourMs, ...options }: RetentionOptions): Loop {
  const round = async (signal: AbortSignal) => {
    const sweeps = Object.entries(sweepsOf(options, signal)) as [RetentionKind, Sweep][];
    for (const [kind, sweep] of sweeps) if (!signal.aborted) await trySweep(options, kind, sweep, signal);
    return jittered(everyMs);
  };
  const loop = new Loop(round, (error) => options.log.warn({ err: error }, 'retention failed'));
  // The first round comes after a pause, so that everything else has started.
  return loop.start(jittered(everyMs / 60));
}

/** Runs a sweep. If it fails, the next sweep runs nevertheless. */
async function trySweep(
  { log, onSuccess }: RetentionOptions,
  kind: RetentionKind,
  sweep: Sweep,
  signal: AbortSignal,
): Promise<void> {
  try {
    const dropped = await sweep();
    onSuccess(kind);
    if (Object.values(dropped).some((count) => count > 0)) log.info(dropped, 'retention dropped old rows');
  } catch (error) {
    if (!signal.aborted) log.warn({ err: error, kind }, 'retention failed');
  }
}

/** Deletes expired rows and returns their number. */
type Sweep = () => Promise<object>;

/** Returns the sweeps in the order in which they run: the data that takes most of the disk comes first. */
function sweepsOf(options: RetentionOptions, signal: AbortSignal): Record<RetentionKind, Sweep> {
  const { database, deliveryDays, eventDays, idempotencyHours, trashDays } = options;
  return {
    deliveries: () =>
      inTurn(signal, [
        () => dropOld(database, deliveryDays * dayMs, signal),
        () => foldCounts(database, signal).then(() => ({})),
      ]),
    refusals: () =>
      inTurn(signal, [
        async () => ({ refusals: await dropOldRefusals(database, signal) }),
        async () => ({ signedPosts: await dropOldSignedPosts(database, signal) }),
      ]),
    notices: () =>
      inTurn(signal, [
        async () => ({ notices: await dropOldNotices(database, signal) }),
        async () => ({ notes: await dropOldNotes(database, signal) }),
      ]),
    answers: async () => ({ answers: await dropOldResponses(database, idempotencyHours * hourMs, signal) }),
    trash: async () => ({ trash: await purgeTrash(database, trashDays * dayMs, signal) }),
    people: () =>
      inTurn(signal, [
        async () => ({ sessions: await dropEndedSessions(database, signal) }),
        async () => ({ links: await dropExpiredLinks(database, signal) }),
      ]),
    events: async () => ({ events: await dropOldEvents(database, eventDays * dayMs, signal) }),
  };
}

/** Runs the parts of a sweep, each even if one before it fails, and throws the first error. Returns all counts. */
async function inTurn(signal: AbortSignal, parts: readonly Sweep[]): Promise<object> {
  const dropped = {};
  await tryEach(parts, async (part) => Object.assign(dropped, await part()), signal);
  return dropped;
}

/** Returns for how long deletions have been overdue, for each kind of data that grows without bound. */
export async function readOverdue(
  database: Database,
  { deliveryDays, eventDays, trashDays }: Pick<RetentionOptions, 'deliveryDays' | 'eventDays' | 'trashDays'>,
): Promise<OverdueSeconds> {
  const rows = await findOverdueRows(database, deliveryDays * dayMs);
  return {
    ...rows,
    events: await findOverdueEvents(database, eventDays * dayMs),
    trash: await findOverdueTrash(database, trashDays * dayMs),
  };
}
