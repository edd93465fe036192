import { contact } from '@relata/schemas';
import { recordStepKinds } from './record.step.ts';

/** Kinds of steps on contacts, for example `contact.upsert`; `record-steps.ts` of workflow-worker executes them. */
export const contactSteps = recordStepKinds(contact, {
  match: { email: '${{ payload.email }}' },
  create: {
    email: '${{ payload.email }}',
    first_name: '${{ payload.first_name }}',
    last_name: '${{ payload.last_name }}',
  },
  change: { tags: ['customer'] },
  upsert: {
    create: { first_name: '${{ payload.first_name }}', last_name: '${{ payload.last_name }}' },
    fill: { company: '${{ payload.company }}' },
    add: { tags: ['website'] },
  },
});
