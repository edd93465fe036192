import type { Account } from '@relata/schemas';
import { createdAndUpdated, crmId, field, recordTable, sameText } from './record-table.ts';

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
});
