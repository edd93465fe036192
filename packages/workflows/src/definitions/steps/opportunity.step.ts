import { opportunity } from '@relata/schemas';
import { matchKeys, recordStepKinds } from './record.step.ts';

export const opportunitySteps = recordStepKinds(opportunity, matchKeys);
