import { account } from '@relata/schemas';
import { recordStepKinds } from './record.step.ts';

export const accountSteps = recordStepKinds(account, {
  match: { domain: '${{ payload.domain }}' },
  create: { account_name: '${{ payload.company }}', domain: '${{ payload.domain }}' },
  change: { tags: ['customer'] },
  upsert: {
    create: { account_name: '${{ payload.company }}' },
    fill: { city: '${{ payload.city }}' },
    add: { tags: ['website'] },
  },
});
