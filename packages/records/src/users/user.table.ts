import { user } from '@relata/schemas';
import { recordTable } from '../table/record-table.ts';

export const users = recordTable(user, {
  matches: {},
  filters: {},
});
