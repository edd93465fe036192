export { createApi } from './api.ts';
export { type Backends, measureBackends, openBackends } from './backends.ts';
export { bodyBytesMax } from './body.ts';
export { addHealth } from './health.ts';
export type { HandlerContext, Handlers } from './operation-route.ts';
export { Draining, serve } from './server.ts';
export { addPage, createServiceApp } from './service-app.ts';
export { SharedAnswer } from './shared-answer.ts';
export { SharedLimit } from './shared-limit.ts';
