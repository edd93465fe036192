export { type CountedSpan, countDeliveries, minuteMs, type Span } from './counts/trigger-counts.sql.ts';
export { previewReplay, replayDelivery } from './deliveries/delivery.operations.ts';
export type { RepeatedSteps } from './deliveries/replay-result.ts';
export { readPayload } from './deliveries/parse-body.ts';
export { replayFailedPage, replayFailedRuns } from './deliveries/replay-failed.operations.ts';
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
export { countRefusals } from './deliveries/refusal.sql.ts';
export {
  findRefusedPost,
  findRefusedPostOrganization,
  listAllRefusals,
  listRefusals,
  type RefusedPost,
  type RefusedPostDetail,
} from './deliveries/refused-post.sql.ts';
export { readRefusingWorkflows } from './deliveries/refused-deliveries.sql.ts';
export { readPreviewFields } from './deliveries/preview-fields.sql.ts';
export { eraseRefusedPosts, eraseRunsPage } from './erase/erase-runs.operations.ts';
