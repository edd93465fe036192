import type { Service } from '@relata/service';
import { settings } from './settings.ts';

export const service = {
  name: 'webhook-ingest',
  prefix: '/webhooks/',
  errorManner: 'webhook',
  settings,
  nodeOptions: [
    // Hundreds of small requests are active at once. If the young generation is too small for them, they are all moved
    // to the old generation, which halved the speed at 256 connections.
    '--max-semi-space-size=8',
    '--heap-growing-percent=20',
  ],
  load: () => import('./start.ts'),
} as const satisfies Service<typeof settings>;
