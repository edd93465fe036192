import { nodeOptions, type Service } from '@relata/service';
import { settings } from './settings.ts';

export const service = {
  name: 'workflow-worker',
  prefix: undefined,
  settings,
  nodeOptions: [
    ...nodeOptions,
    // Marking what runs carry would take all other cores for 50 ms at a time, and with them what PostgreSQL does for everybody.
    // Sweeping takes little of them, and would hold up runs here.
    '--single-threaded-gc',
    '--concurrent-sweeping',
    '--concurrent-array-buffer-sweeping',
  ],
  load: () => import('./start.ts'),
} as const satisfies Service<typeof settings>;
