import type { Service } from '@relata/service';
import { settings } from './settings.ts';

export const service = {
  name: 'webhook-ingest',
  prefix: '/webhooks/',
  errorFormat: 'webhook',
  settings,
  load: () => import('./start.ts'),
} as const satisfies Service<typeof settings>;
