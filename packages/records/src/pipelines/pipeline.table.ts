import { pipeline } from '@relata/schemas';
import { recordTable } from '../table/record-table.ts';
import { pipelineRules } from './pipeline.rules.ts';

export const pipelines = recordTable(pipeline, {
  matches: {},
  filters: {},
  rules: pipelineRules,
});
