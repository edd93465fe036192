import { setImmediate, setTimeout } from 'node:timers/promises';
import { loopTurns } from '@relata/http';
import type { OrgCaller } from '../session/console-caller.ts';

/** While other organizations use the process, long work rests for this many times as long as its last slice took. */
const restTimes = 3;
const restMsMax = 100;

/** Returns what lets others have the event loop after a slice of the caller's work. */
export function turnsOf({ orgId, session }: OrgCaller): (sliceMs: number) => Promise<void> {
  return async (sliceMs) => {
    if (loopTurns.isShared) await setTimeout(Math.min(sliceMs * restTimes, restMsMax));
    else await setImmediate();
    await loopTurns.take([orgId, session.person.id]);
  };
}
