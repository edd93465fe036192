import { account } from '@relata/schemas';
import { recordStepKinds } from './record.step.ts';

export const accountSteps = recordStepKinds(account);
