import type { Service } from '@relata/service';
import { settings } from './settings.ts';

export const service = {
  name: 'webhook-ingest',
  prefix: '/webhooks/',
  errorManner: 'webhook',
  settings,
  nodeOptions: [
    // Hundreds of small requests are in flight at once. With a smaller young generation, all their objects would be
    // moved to the old generation, which halved the throughput at 256 connections.
    '--max-semi-space-size=8',
    '--heap-growing-percent=20',
  ],
  load: () => import('./start.ts'),
} as const satisfies Service<typeof settings>;
