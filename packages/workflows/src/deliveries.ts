export { type CountedSpan, countDeliveries, minuteMs, type Span } from './counts/trigger-counts.sql.ts';
export {
  previewReplay,
  type RepeatedSteps,
  replayDelivery,
  type ReplayPreview,
} from './deliveries/delivery.operations.ts';
export { readPayload } from './deliveries/parse-body.ts';
export {
  type Replayed,
  replayFailedPage,
  replayFailedRuns,
  type ReplayedPage,
  type ReplacingRun,
} from './deliveries/replay-failed.operations.ts';
export {
  type Delivery,
  type DeliveryDetail,
  findDelivery,
  findDeliveryOfHeader,
  findDeliveryOfKey,
  findDeliveryOrganization,
  listAllDeliveries,
  listDeliveries,
  ofTrigger as deliveriesOfTrigger,
  searchDeliveries,
} from './deliveries/delivery.sql.ts';
export { type DeliverySearch, searchDeliveryBodies } from './deliveries/search.operations.ts';
export {
  countRefusals,
  listAllRefusals,
  listRefusals,
  type RefusalCount,
  type RefusedPost,
} from './deliveries/refusal.sql.ts';
export { readTellingFields } from './deliveries/telling-fields.sql.ts';
export type { TellingField } from './deliveries/telling-fields.ts';
