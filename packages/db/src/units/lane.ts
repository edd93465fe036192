import { Batcher } from '@relata/runtime';
import type { Db } from '../statement.ts';
import { isContended, isUnavailable } from '../unavailable.ts';
import type { locked, SharedStatement } from './shared-statement.ts';

/** Calls of one statement, each auto-committed: those that wait anyway are sent together, organizations in turns. */
export type Lane<Call, Result> = Batcher<Call, Result | typeof locked>;

/** Opens the lane of a statement. What fails for all is sent again in halves, so that a call at fault fails alone. */
export function openLane<Call, Result>(db: Db, statement: SharedStatement<Call, Result>): Lane<Call, Result> {
  const { lane } = statement;
  if (!lane) throw new Error('A statement without a lane needs a transaction.');
  return new Batcher({
    run: async (calls) => [...(await statement.run(db, calls, { waits: false }))],
    isItemFault: (error) => isContended(error) || !isUnavailable(error),
    partyOf: (call) => [lane.orgIdOf(call)],
    ...(statement.keyOf && { keyOf: (call: Call) => statement.keyOf!(call) }),
    itemsMax: lane.itemsMax,
    partyMax: lane.ofOneMax,
    flushers: lane.atOnce,
    areApart: lane.isApart === true,
    waitingMax: lane.waitingMax,
    weight: { of: (call) => lane.weightOf(call), batchMax: lane.weightMax, waitingMax: lane.weightWaitingMax },
  });
}
