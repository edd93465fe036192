import type { Opportunity } from '@relata/schemas';
import { createdAndUpdated, crmId, field, recordTable, sameId } from './record-table.ts';

export const opportunities = recordTable<Opportunity>({
  name: 'opportunities',
  columns: [
    field('opportunity_name'),
    field('account_id', 'uuid'),
    field('tags', 'text[]'),
    field('amount', 'numeric(19,4)'),
    { ...field('close_date', 'timestamptz'), isNullable: true },
    field('stage_id', 'uuid'),
    field('pipeline'),
    crmId,
    ...createdAndUpdated,
  ],
  filters: { account_id: sameId('account_id') },
  references: { account_id: 'accounts', stage_id: 'stages' },
});
