import { Pace } from '@relata/workflows';
import type { OrgCaller } from '../session/console-caller.ts';
import { turnsOf } from './work-slices.ts';

const workMsMax = 250;

/** The pace of one verdict: a quarter of a second of the event loop at most. */
export const verdictPace = (caller: OrgCaller) => new Pace({ workMsMax, takeTurn: turnsOf(caller) });
