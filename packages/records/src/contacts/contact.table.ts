import { contact } from '@relata/schemas';
import { anyCase, asWritten, comparedBy, exactly, inLowerCase, sameId, sameText } from '../table/record-condition.ts';
import { recordTable } from '../table/record-table.ts';

export const contacts = recordTable(contact, {
  filters: { email: sameText('email') },
  valueTables: { tags: { name: 'contact_tags', value: 'tag' } },
  matches: { email: anyCase('email'), crm_id: exactly('crm_id'), id: sameId('id') },
  comparisons: {
    email: comparedBy(['email'], inLowerCase),
    crm_id: comparedBy(['crm_id'], asWritten),
    name_company: comparedBy(['first_name', 'last_name', 'company'], inLowerCase, 'name_company'),
  },
});
