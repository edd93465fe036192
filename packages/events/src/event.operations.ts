import { statement } from '@relata/db';
import type { Operator } from './actor.ts';
import type { OperationContext } from './operation-context.ts';

/** Makes concurrent calls wait for each other. Otherwise one of them could set the sequence back. */
const lock = statement<never>(
  'events.lock_fence',
  "SELECT FROM (SELECT pg_advisory_xact_lock(hashtextextended('events.fence', 0))) taken",
);

/**
 * Moves the sequence by a billion: more numbers than are drawn between a backup and its restore, and few of the 2^53
 * possible ones.
 */
const move = statement<EventFence>(
  'events.move_sequence',
  `WITH drawn AS MATERIALIZED (SELECT nextval('event_seq') AS seq)
   SELECT seq AS before, setval('event_seq', seq + 1000000000) AS after FROM drawn`,
);

/** The last number of the sequence, before and after the move. */
export interface EventFence {
  before: number;
  after: number;
}

/**
 * Advances the sequence of event numbers, which all organizations share, past every number ever assigned. A database
 * restored to an earlier time would otherwise assign numbers again that readers have already passed. Changes no events,
 * and can be repeated, even while events are written. Requires the role that owns the tables.
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
