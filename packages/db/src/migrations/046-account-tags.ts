import type { Migration } from '../migration.ts';
import { keepTags } from './keep-tags.sql.ts';

/** Tags of accounts, with a row for each tag. */
export const accountTags: Migration = {
  name: '046-account-tags',
  sql: keepTags('accounts', 'account_tags'),
};
