import { contact, emailText } from '@relata/schemas';
import { matchKeys, recordStepKinds } from './record.step.ts';

export const contactSteps = recordStepKinds(contact, { email: emailText(), ...matchKeys });
