import type { Service } from '@relata/service';
import { settings } from './settings.ts';

export const service = {
  name: 'console',
  prefix: '/console',
  settings,
  nodeOptions: [
    // Few people ask little of it at a time, so that a smaller young generation holds it. `--optimize-for-size` would take
    // another 12 MB off, and a third more of the processor for each search.
    '--max-semi-space-size=2',
    '--heap-growing-percent=20',
  ],
  load: () => import('./start.ts'),
} as const satisfies Service<typeof settings>;
