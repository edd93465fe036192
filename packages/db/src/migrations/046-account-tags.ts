import type { Migration } from '../migration.ts';
import { keepTags } from './keep-tags.sql.ts';

/** Tags of accounts, each with a row. */
export const accountTags: Migration = {
  name: '046-account-tags',
  sql: keepTags('accounts', 'account_tags'),
};
