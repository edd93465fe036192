import { oneCollectorNodeOptions, type Service } from '@relata/service';
import { settings } from './settings.ts';

export const service = {
  name: 'workflow-worker',
  prefix: undefined,
  settings,
  // The values of all runs can take hundreds of MB of the heap (docs/decisions/040-runs-beside-others.md).
  nodeOptions: oneCollectorNodeOptions,
  load: () => import('./start.ts'),
} as const satisfies Service<typeof settings>;
