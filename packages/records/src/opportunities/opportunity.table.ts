import { opportunity } from '@relata/schemas';
import { exactly, sameId } from '../table/record-condition.ts';
import { recordTable } from '../table/record-table.ts';
import { opportunityRules } from './opportunity.rules.ts';

export const opportunities = recordTable(opportunity, {
  filters: { account_id: sameId('account_id') },
  matches: { crm_id: exactly('crm_id'), id: sameId('id') },
  rules: opportunityRules,
});
