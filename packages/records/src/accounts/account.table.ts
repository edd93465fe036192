import { account } from '@relata/schemas';
import { sameExactText, sameId, sameText } from '../table/record-condition.ts';
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
    domain: sameText('domain'),
    crm_id: sameExactText('crm_id'),
    account_name: sameText('account_name'),
    id: sameId('id'),
  },
});
