import { pipeline } from '@relata/schemas';
import { recordTable } from '../table/record-table.ts';

export const pipelines = recordTable(pipeline, {
  columns: { name: 'text', active: 'boolean', is_default: 'boolean' },
  matches: {},
  filters: {},
});
