import { type Contact, ContactCreate, ContactUpdate } from '@relata/schemas';
import { sameExactText, sameId, sameText } from './record-condition.ts';
import { createdAndUpdated, crmId, field, recordTable } from './record-table.ts';

export const contacts = recordTable<Contact>({
  name: 'contacts',
  columns: [
    field('first_name'),
    field('middle_name'),
    field('last_name'),
    field('title'),
    field('email'),
    field('phone'),
    field('company'),
    field('linkedin_url'),
    field('location'),
    field('city'),
    field('state'),
    field('country'),
    field('tags', 'text[]'),
    field('icp_label'),
    crmId,
    ...createdAndUpdated,
  ],
  filters: { email: sameText('email') },
  matches: { email: sameText('email'), crm_id: sameExactText('crm_id'), id: sameId('id') },
  accepts: { create: ContactCreate, update: ContactUpdate },
});
