import { account } from '@relata/schemas';
import {
  anyCase,
  asWritten,
  comparedBy,
  exactly,
  hostOf,
  inLowerCase,
  sameId,
  sameText,
} from '../table/record-condition.ts';
import { recordTable } from '../table/record-table.ts';

export const accounts = recordTable(account, {
  filters: { domain: sameText('domain') },
  valueTables: { tags: { name: 'account_tags', value: 'tag' } },
  matches: {
    domain: anyCase('domain'),
    crm_id: exactly('crm_id'),
    account_name: anyCase('account_name'),
    id: sameId('id'),
  },
  comparisons: {
    domain: comparedBy(['domain'], hostOf, 'normalized_domain'),
    account_name: comparedBy(['account_name'], inLowerCase),
    crm_id: comparedBy(['crm_id'], asWritten),
  },
});
