import { opportunity } from '@relata/schemas';
import { recordStepKinds } from './record.step.ts';

export const opportunitySteps = recordStepKinds(opportunity, {
  match: { crm_id: '${{ payload.deal_id }}' },
  create: { opportunity_name: '${{ payload.deal_name }}', account_id: '${{ payload.account_id }}' },
  change: { amount: '${{ payload.amount }}' },
  upsert: {
    create: { opportunity_name: '${{ payload.deal_name }}', account_id: '${{ payload.account_id }}' },
    fill: { amount: '${{ payload.amount }}' },
  },
});
