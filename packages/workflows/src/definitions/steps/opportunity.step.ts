import { Opportunity, OpportunityCreate, OpportunityUpdate } from '@relata/schemas';
import { matchKeys, recordSteps } from './record.step.ts';

export const opportunitySteps = recordSteps({
  name: 'opportunity',
  record: Opportunity.shape,
  create: OpportunityCreate.shape,
  update: OpportunityUpdate.shape,
  match: matchKeys,
});
