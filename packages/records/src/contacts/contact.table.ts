import { contact } from '@relata/schemas';
import { anyCase, exactly, sameId, sameText } from '../table/record-condition.ts';
import { recordTable } from '../table/record-table.ts';

export const contacts = recordTable(contact, {
  columns: {
    first_name: 'text',
    middle_name: 'text',
    last_name: 'text',
    title: 'text',
    email: 'text',
    phone: 'text',
    company: 'text',
    linkedin_url: 'text',
    location: 'text',
    city: 'text',
    state: 'text',
    country: 'text',
    tags: 'text[]',
    icp_label: 'text',
  },
  filters: { email: sameText('email') },
  matches: { email: anyCase('email'), crm_id: exactly('crm_id'), id: sameId('id') },
});
