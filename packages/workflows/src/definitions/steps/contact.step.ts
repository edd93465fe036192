import { contact } from '@relata/schemas';
import { recordStepKinds } from './record.step.ts';

export const contactSteps = recordStepKinds(contact);
