export {
  type Broadcast,
  eventsWritten,
  keyChanged,
  limitConsumed,
  limitKeysMax,
  triggersChanged,
  writtenOrganizationsMax,
} from './broadcast.ts';
export { Messaging } from './messaging.ts';
export { runsPerMessageMax, runsReady, type WorkQueue } from './work-queue.ts';
export type { StreamStorage, WorkQueueState } from './work-queue-state.ts';
