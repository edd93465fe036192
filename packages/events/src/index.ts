export {
  type Actor,
  type Author,
  organizationActor,
  type Operator,
  operatorActor,
  type RunAuthor,
  systemActor,
  runActor,
} from './actor.ts';
export { writeAuditEvent } from './audit-event.sql.ts';
export { type Bus, busOn, noopBus } from './bus.ts';
export { EventNotifier } from './event-notifier.ts';
export { fenceEvents } from './event.operations.ts';
export { type EventOrigin, toEventOrigin, type StoredActor } from './event-origin.ts';
export { EventFeed, type FeedPage, type FeedQuery, type FeedSelection } from './feed/event-feed.ts';
export type { StoredEvent } from './feed/feed.sql.ts';
export { type OperationContext, readInput, within } from './operation-context.ts';
export { dropOldEvents, findOverdueEvents } from './retention.sql.ts';
