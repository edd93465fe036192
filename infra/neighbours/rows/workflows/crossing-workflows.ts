import { deliver } from '../../flood/requests.ts';
import { neighbour } from '../../neighbour.ts';
import { createTestTrigger, requiredText, type TestTrigger, workflowOf } from '@relata/testbed/fixtures';
import { allSucceed } from './flood-runs.ts';
import { areRunning } from './shuffled-people.ts';

const deliveriesCount = 40;
/** Number of deliveries per second after the start, so that runs are always active. */
const perSecond = 10;

const steps = {
  contact: {
    id: 'contact',
    use: 'contact.upsert',
    with: {
      match: { email: 'shared@crowd.example' },
      set: { first_name: 'Shared', last_name: 'Contact', title: '${{ inputs.title }}' },
    },
  },
  account: {
    id: 'account',
    use: 'account.upsert',
    with: { match: { domain: 'crowd.example' }, set: { account_name: 'Crowd', city: '${{ inputs.title }}' } },
  },
};

const assigned = [
  workflowOf('contact-first', { title: requiredText }, steps.contact, steps.account),
  workflowOf('account-first', { title: requiredText }, steps.account, steps.contact),
];

export const crossingWorkflows = neighbour<TestTrigger>({
  name: 'V1-crossing',
  flood: `${deliveriesCount} deliveries at once, then ${perSecond} a second, each starting two workflows that upsert a contact and an account in opposite order`,
  probes: ['run'],
  apps: ['webhook-ingest', 'workflow-worker'],
  prepare: ({ database }, { orgId }) => createTestTrigger(database, orgId, { assigned }),
  responses: { status: [202] },
  run: (context) =>
    deliver(context, context.own, { atOnce: deliveriesCount, perSecond }, (turn) => ({ title: `Number ${turn}` })),
  hasEffect: areRunning,
  verify: allSucceed,
});
