import { opportunity } from '@relata/schemas';
import { exactly, sameId } from '../table/record-condition.ts';
import { recordTable } from '../table/record-table.ts';
import { opportunityRules } from './opportunity.rules.ts';

/** SQL for the id of the stage's pipeline, or without a stage for that of the oldest pipeline with the given name. */
const pipelineId = `coalesce(
    (SELECT s.pipeline_id FROM stages s WHERE s.org_id = $1 AND s.id = given.stage_id),
    (SELECT p.id FROM pipelines p WHERE p.org_id = $1 AND p.name = given.pipeline ORDER BY p.created_at, p.id LIMIT 1)
  )`;

export const opportunities = recordTable(opportunity, {
  filters: { account_id: sameId('account_id') },
  valueTables: { tags: { name: 'opportunity_tags', value: 'tag' } },
  matches: { crm_id: exactly('crm_id'), id: sameId('id') },
  rules: opportunityRules,
  expansions: { pipeline_record: { fields: ['stage_id', 'pipeline'], id: pipelineId } },
});
