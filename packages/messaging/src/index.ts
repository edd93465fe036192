export { type Broadcast, keyChanged, limitConsumed } from './broadcast.ts';
export { Messaging } from './messaging.ts';
