import { Turns } from '@relata/runtime';

/** The turns of this process's event loop: there is one loop, and so one of these. */
export const loopTurns = new Turns();
