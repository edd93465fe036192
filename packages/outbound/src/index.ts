export type { OutboundAnswer } from './answer.ts';
export { Deadline } from './deadline.ts';
export { sendWireRequest } from './wire-request.ts';
export { type OutboundAllow, outboundAllowSetting } from './outbound-allow.ts';
export { OutboundError } from './outbound.error.ts';
export { createOutbound, type Outbound } from './outbound.ts';
export type { BeforeLarge, OutboundRequest } from './request-hop.ts';
export { readRetryAfterMs } from './retry-after.ts';
