import { account } from '@relata/schemas';
import { anyCase, exactly, sameId, sameText } from '../table/record-condition.ts';
import { recordTable } from '../table/record-table.ts';

export const accounts = recordTable(account, {
  columns: {
    account_name: 'text',
    domain: 'text',
    linkedin_url: 'text',
    address: 'text',
    city: 'text',
    state: 'text',
    country: 'text',
    relationship_type: 'text',
    sales_status: 'text',
    icp_label: 'text',
    tags: 'text[]',
  },
  filters: { domain: sameText('domain') },
  matches: {
    domain: anyCase('domain'),
    crm_id: exactly('crm_id'),
    account_name: anyCase('account_name'),
    id: sameId('id'),
  },
});
