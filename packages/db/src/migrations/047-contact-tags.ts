import type { Migration } from '../migration.ts';
import { keepTags } from './keep-tags.sql.ts';

/** Tags of contacts, with a row for each tag. */
export const contactTags: Migration = {
  name: '047-contact-tags',
  sql: keepTags('contacts', 'contact_tags'),
};
