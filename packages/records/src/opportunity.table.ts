import { type Opportunity, OpportunityCreate, OpportunityUpdate } from '@relata/schemas';
import { sameExactText, sameId } from './record-condition.ts';
import { createdAndUpdated, crmId, field, recordTable } from './record-table.ts';

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
  matches: { crm_id: sameExactText('crm_id'), id: sameId('id') },
  accepts: { create: OpportunityCreate, update: OpportunityUpdate },
  references: { account_id: 'accounts', stage_id: 'stages' },
});
