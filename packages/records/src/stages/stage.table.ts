import { stage } from '@relata/schemas';
import { sameId } from '../table/record-condition.ts';
import { recordTable } from '../table/record-table.ts';

export const stages = recordTable(stage, {
  columns: {
    pipeline_id: 'uuid',
    name: 'text',
    is_won: 'boolean',
    is_lost: 'boolean',
    is_closed: 'boolean',
    active: 'boolean',
    display_order: 'integer',
    exit_criteria: 'text',
    entry_criteria: 'text',
  },
  matches: {},
  filters: { pipeline_id: sameId('pipeline_id') },
});
