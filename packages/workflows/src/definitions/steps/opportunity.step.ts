import { opportunity } from '@relata/schemas';
import { recordStepKinds } from './record.step.ts';

export const opportunitySteps = recordStepKinds(opportunity);
