import type { Contact } from '@relata/schemas';
import { createdAndUpdated, crmId, field, recordTable, sameText } from './record-table.ts';

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
});
