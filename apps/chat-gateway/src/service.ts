import { oneCollectorNodeOptions, type Service } from '@relata/service';
import { settings } from './settings.ts';

export const service = {
  name: 'chat-gateway',
  prefix: '/v1/genie/',
  settings,
  // Each open answer holds about 120 KB of heap, and a silent model keeps hundreds of them open (docs/neighbours.md).
  nodeOptions: oneCollectorNodeOptions,
  load: () => import('./start.ts'),
} as const satisfies Service<typeof settings>;
