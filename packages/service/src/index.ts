export { nodeEnvironment, nodeOptions } from './node-options.ts';
export { runService } from './run.ts';
export type { Service, ServiceContext, Started } from './service.ts';
