import type { Service } from '@relata/service';
import { settings } from './settings.ts';

export const service = {
  name: 'chat-gateway',
  prefix: '/v1/genie/',
  settings,
  load: () => import('./start.ts'),
} as const satisfies Service<typeof settings>;
