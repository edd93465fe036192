export type { OutboundAnswer } from './answers/answer.ts';
export { Deadline } from './requests/deadline.ts';
export { sendWireRequest } from './requests/wire-request.ts';
export { createOutboundGuard, type OutboundGuard } from './addresses/outbound-guard.ts';
export { type OutboundAllow, outboundAllowSetting } from './addresses/outbound-allow.ts';
export { OutboundError } from './outbound.error.ts';
export { createOutbound, type Outbound } from './outbound.ts';
export type { BeforeLarge, OutboundRequest } from './requests/request-hop.ts';
export { readRetryAfterMs } from './answers/retry-after.ts';
