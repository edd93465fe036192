import { type Account, AccountCreate, AccountUpdate } from '@relata/schemas';
import { sameExactText, sameId, sameText } from './record-condition.ts';
import { createdAndUpdated, crmId, field, recordTable } from './record-table.ts';

export const accounts = recordTable<Account>({
  name: 'accounts',
  columns: [
    field('account_name'),
    field('domain'),
    field('linkedin_url'),
    field('address'),
    field('city'),
    field('state'),
    field('country'),
    field('relationship_type'),
    field('sales_status'),
    field('icp_label'),
    field('tags', 'text[]'),
    crmId,
    ...createdAndUpdated,
  ],
  filters: { domain: sameText('domain') },
  matches: {
    domain: sameText('domain'),
    crm_id: sameExactText('crm_id'),
    account_name: sameText('account_name'),
    id: sameId('id'),
  },
  accepts: { create: AccountCreate, update: AccountUpdate },
});
