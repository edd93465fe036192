import { setImmediate, setTimeout } from 'node:timers/promises';
import { loopTurns } from '@relata/http';
import { TimeSlicer } from '@relata/workflows';
import type { OrgCaller } from '../session/console-caller.ts';

/**
 * Pause after each slice of long work while other organizations use the process, as a multiple of the slice's duration.
 */
const restTimes = 3;
const restMsMax = 100;

/** Returns a function that yields the event loop to other work after a slice of the caller's work. */
export function sliceTurns({ orgId, session }: OrgCaller): (sliceMs: number) => Promise<void> {
  return async (sliceMs) => {
    if (loopTurns.isShared) await setTimeout(Math.min(sliceMs * restTimes, restMsMax));
    else await setImmediate();
    await loopTurns.take([orgId, session.person.id]);
  };
}

const verdictMsMax = 250;

/** Creates the time slicer for computing a verdict, which may use the event loop for 250 ms in total. */
export const verdictSlicer = (caller: OrgCaller) =>
  new TimeSlicer({ workMsMax: verdictMsMax, takeTurn: sliceTurns(caller) });
