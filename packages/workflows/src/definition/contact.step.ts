import { ContactCreate, ContactUpdate, emailText } from '@relata/schemas';
import { matchKeys, recordSteps } from './record.step.ts';

export const contactSteps = recordSteps({
  name: 'contact',
  create: ContactCreate.shape,
  update: ContactUpdate.shape,
  match: { email: emailText(), ...matchKeys },
});
