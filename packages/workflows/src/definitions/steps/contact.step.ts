import { contact, emailText } from '@relata/schemas';
import { matchKeys, recordSteps } from './record.step.ts';

export const contactSteps = recordSteps(contact, { email: emailText(), ...matchKeys });
