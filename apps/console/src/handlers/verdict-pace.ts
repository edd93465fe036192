import { Pace } from '@relata/workflows';
import type { OrgCaller } from '../session/console-caller.ts';
import { turnsOf } from './work-slices.ts';

const workMsMax = 250;

/** Creates the pace of a verdict, which may use the event loop for a quarter of a second in total. */
export const verdictPace = (caller: OrgCaller) => new Pace({ workMsMax, takeTurn: turnsOf(caller) });
