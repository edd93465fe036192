import type { Migration } from '../migration.ts';
import { keepTags } from './keep-tags.sql.ts';

/** Tags of opportunities, with a row for each tag. */
export const opportunityTags: Migration = {
  name: '048-opportunity-tags',
  sql: keepTags('opportunities', 'opportunity_tags'),
};
