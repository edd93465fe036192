import { nodeOptions, type Service } from '@relata/service';
import { settings } from './settings.ts';

export const service = {
  name: 'records-api',
  prefix: '/',
  settings,
  // The heap doubles between two major collections. By default it grows fourfold on a machine with much memory, and by a
  // third in a container of 512 MB (docs/decisions/046-node-options-for-throughput.md).
  nodeOptions: [...nodeOptions, '--heap-growing-percent=100'],
  load: () => import('./start.ts'),
} as const satisfies Service<typeof settings>;
