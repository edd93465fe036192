import type { Service } from '@relata/service';
import { settings } from './settings.ts';

export const service = {
  name: 'console',
  prefix: '/console',
  settings,
  nodeOptions: [
    // Few people ask little of it at a time: what it keeps resident counts for more than the speed of its code.
    '--max-semi-space-size=2',
    '--heap-growing-percent=20',
    '--optimize-for-size',
  ],
  load: () => import('./start.ts'),
} as const satisfies Service<typeof settings>;
