import { user } from '@relata/schemas';
import { recordTable } from '../table/record-table.ts';
import { userRules } from './user.rules.ts';

export const users = recordTable(user, {
  matches: {},
  filters: {},
  rules: userRules,
});
