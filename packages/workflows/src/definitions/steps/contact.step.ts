import { Contact, ContactCreate, ContactUpdate, emailText } from '@relata/schemas';
import { matchKeys, recordSteps } from './record.step.ts';

export const contactSteps = recordSteps({
  name: 'contact',
  record: Contact.shape,
  create: ContactCreate.shape,
  update: ContactUpdate.shape,
  match: { email: emailText(), ...matchKeys },
});
