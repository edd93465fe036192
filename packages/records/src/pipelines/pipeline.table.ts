import { pipeline } from '@relata/schemas';
import { recordTable } from '../table/record-table.ts';

export const pipelines = recordTable(pipeline, {
  matches: {},
  filters: {},
});
