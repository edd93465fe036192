import { opportunity } from '@relata/schemas';
import { matchKeys, recordSteps } from './record.step.ts';

export const opportunitySteps = recordSteps(opportunity, matchKeys);
