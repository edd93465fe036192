import { Turns } from '@relata/runtime';

/** Turns of this process's event loop. There is one loop, and so one instance. */
export const loopTurns = new Turns();
