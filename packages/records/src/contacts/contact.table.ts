import { contact } from '@relata/schemas';
import { anyCase, exactly, sameId, sameText } from '../table/record-condition.ts';
import { recordTable } from '../table/record-table.ts';

export const contacts = recordTable(contact, {
  filters: { email: sameText('email') },
  matches: { email: anyCase('email'), crm_id: exactly('crm_id'), id: sameId('id') },
});
