import type { Service } from '@relata/service';
import { settings } from './settings.ts';

export const service = {
  name: 'console',
  prefix: '/console',
  settings,
  load: () => import('./start.ts'),
} as const satisfies Service<typeof settings>;
