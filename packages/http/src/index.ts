export { createApi } from './api.ts';
export { bodyBytesMax } from './body.ts';
export { addHealth } from './health.ts';
export type { HandlerContext, Handlers } from './operation-route.ts';
export { Draining, serve } from './server.ts';
export { SharedLimit } from './shared-limit.ts';
