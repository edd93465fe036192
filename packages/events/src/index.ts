export {
  type Actor,
  type Author,
  inOrganization,
  type Operator,
  operatorIn,
  type RunAuthor,
  systemIn,
  workflowRunIn,
} from './actor.ts';
export { writeAuditEvent } from './audit-event.sql.ts';
export { type Bus, busOn, noBus } from './bus.ts';
export { type EventOrigin, originOf, type StoredActor } from './event-origin.ts';
export { EventFeed, type FeedPage, type FeedQuery, type FeedReader } from './event-feed.ts';
export type { StoredEvent } from './feed.sql.ts';
export { type OperationContext, readInput, within } from './operation-context.ts';
export { dropOldEvents } from './retention.sql.ts';
