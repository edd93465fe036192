/** An index of a sort or a filter of lists. It is built beside running apps, so no migration creates it. */
export interface ListIndex {
  /** Name for operators: the list and the column, such as `contacts.last_name`. */
  name: string;
  /** Name in PostgreSQL. */
  index: string;
  table: string;
  /** Table, method, keys and condition, as in `CREATE INDEX … ON`. */
  sql: string;
  /** True if `relata migrate` builds it. */
  isDefault: boolean;
}

/** Columns whose values are keys themselves, and come in their order. */
const byValue = (table: string, column: string, isDefault = true) =>
  listIndex(table, column, `${table} USING btree (org_id, ${column}, id)`, isDefault);

/** Text as it is sorted: the same on every machine, and short enough for an index. */
const byText = (table: string, column: string) =>
  listIndex(table, column, `${table} USING btree (org_id, ${textKey(column)}, id)`);

const byHash = (table: string, column: string) =>
  listIndex(table, column, `${table} USING btree (org_id, hashtextextended(lower(${column}), 0), id)`);

/** Entries are inserted at once: otherwise every search reads those that wait, and one write in thousands inserts all. */
const gin = (table: string, key: string, condition = '') =>
  `${table} USING gin (${key}) WITH (fastupdate = off)${condition && ` WHERE ${condition}`}`;

/** Most searches are for a tag, so rows without tags have no entry. */
const byTags = (table: string) => listIndex(table, 'tags', gin(table, 'list_tags(org_id, tags)', `tags <> '{}'`));

/** Ids belong to one organization, so they need no other key. */
const byIds = (table: string, column: string) => listIndex(table, column, gin(table, column, `${column} <> '{}'`));

const byWords = (table: string, columns: readonly string[]) =>
  listIndex(table, 'words', gin(table, `list_words(org_id, ${joined(columns)})`));

function listIndex(table: string, key: string, sql: string, isDefault = true): ListIndex {
  return { name: `${table}.${key}`, index: `${table}_by_${key}`, table, sql, isDefault };
}

/** SQL of the key by which texts are sorted. */
export const textKey = (column: string) => `lower(left(${column}, 100)) COLLATE "C"`;

export function joined(columns: readonly string[]): string {
  return columns.map((column) => `coalesce(${column}, '')`).join(` || ' ' || `);
}

/** All indexes of lists beyond those of migrations. */
export const listIndexes: readonly ListIndex[] = [
  byValue('accounts', 'created_at'),
  byText('accounts', 'account_name'),
  byValue('accounts', 'sales_status'),
  byValue('accounts', 'owner_id'),
  byTags('accounts'),
  byWords('accounts', ['account_name', 'domain']),
  byValue('accounts', 'updated_at', false),
  byValue('contacts', 'created_at'),
  byText('contacts', 'last_name'),
  byValue('contacts', 'account_id'),
  byValue('contacts', 'owner_id'),
  byTags('contacts'),
  byWords('contacts', ['first_name', 'middle_name', 'last_name', 'email', 'company']),
  byValue('contacts', 'updated_at', false),
  byValue('opportunities', 'created_at'),
  byValue('opportunities', 'amount'),
  byValue('opportunities', 'close_date'),
  byValue('opportunities', 'stage_id'),
  byValue('opportunities', 'owner_id'),
  byTags('opportunities'),
  byWords('opportunities', ['opportunity_name']),
  byIds('opportunities', 'contact_ids'),
  byValue('opportunities', 'updated_at', false),
  byValue('custom_activities', 'created_at'),
  byValue('custom_activities', 'date_time'),
  byValue('custom_activities', 'owner_id'),
  byHash('custom_activities', 'source'),
  byHash('users', 'email'),
];
