import type { Pipeline } from '@relata/schemas';
import { createdAndUpdated, crmId, field, recordTable } from './record-table.ts';

export const pipelines = recordTable<Pipeline>({
  name: 'pipelines',
  columns: [field('name'), field('active', 'boolean'), field('is_default', 'boolean'), crmId, ...createdAndUpdated],
});
