import { statement } from '@relata/db';
import type { Operator } from './actor.ts';
import type { OperationContext } from './operation-context.ts';

/** Two at a time could set the sequence back between them. */
const lock = statement<never>(
  'events.lock_fence',
  "SELECT FROM (SELECT pg_advisory_xact_lock(hashtextextended('events.fence', 0))) taken",
);

/** A billion: more than is drawn between a backup and its restore, and little of the 2^53 that numbers may reach. */
const move = statement<EventFence>(
  'events.move_sequence',
  `WITH drawn AS MATERIALIZED (SELECT nextval('event_seq') AS seq)
   SELECT seq AS before, setval('event_seq', seq + 1000000000) AS after FROM drawn`,
);

/** The last number that was given out, before and after. */
export interface EventFence {
  before: number;
  after: number;
}

/**
 * Moves the numbers of events of all organizations past every number that was given out: a database that was restored to
 * an earlier time would give some out again, behind readers that have passed them. Changes nothing else, and may be
 * repeated, also while events are written. Needs the role that owns the tables.
 */
export function fenceEvents(
  { database }: Pick<OperationContext, 'database'>,
  _operator: Operator,
): Promise<EventFence> {
  return database.transaction(async (db) => {
    await db.query(lock, []);
    const [fence] = await db.query(move, []);
    return fence!;
  });
}
