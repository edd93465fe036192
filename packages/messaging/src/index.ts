export { type Broadcast, keyChanged, limitConsumed, limitKeysMax, triggersChanged } from './broadcast.ts';
export { Messaging } from './messaging.ts';
export { runsPerMessageMax, runsReady, type WorkQueue } from './work-queue.ts';
