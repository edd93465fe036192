import type { Migration } from '../migration.ts';
import { keepTags } from './keep-tags.sql.ts';

/** Tags of contacts, each with a row. */
export const contactTags: Migration = {
  name: '047-contact-tags',
  sql: keepTags('contacts', 'contact_tags'),
};
