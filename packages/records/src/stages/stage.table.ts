import { stage } from '@relata/schemas';
import { sameId } from '../table/record-condition.ts';
import { recordTable } from '../table/record-table.ts';
import { stageRules } from './stage.rules.ts';

export const stages = recordTable(stage, {
  matches: {},
  filters: { pipeline_id: sameId('pipeline_id') },
  rules: stageRules,
});
