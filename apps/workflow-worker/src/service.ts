import type { Service } from '@relata/service';
import { settings } from './settings.ts';

export const service = {
  name: 'workflow-worker',
  prefix: undefined,
  settings,
  load: () => import('./start.ts'),
} as const satisfies Service<typeof settings>;
