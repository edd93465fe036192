import type { Stage } from '@relata/schemas';
import { sameId } from './record-condition.ts';
import { createdAndUpdated, crmId, field, recordTable } from './record-table.ts';

export const stages = recordTable<Stage>({
  name: 'stages',
  columns: [
    field('pipeline_id', 'uuid'),
    field('name'),
    field('is_won', 'boolean'),
    field('is_lost', 'boolean'),
    field('is_closed', 'boolean'),
    field('active', 'boolean'),
    field('display_order', 'integer'),
    field('exit_criteria'),
    field('entry_criteria'),
    crmId,
    ...createdAndUpdated,
  ],
  filters: { pipeline_id: sameId('pipeline_id') },
  references: { pipeline_id: 'pipelines' },
});
