import { z } from 'zod';
import { recordTables } from '../record-tables.ts';
import { isLinkedTo, type LinkTable } from '../table/link-table.ts';
import { perTable, type RecordTable } from '../table/record-table.ts';
import { type LinkColumn, linkColumns } from '../table/written-table.ts';

/** A field of a record with the id of another one, or with a list of ids. */
export interface Link extends LinkColumn {
  /** Table with the ids of a list that is no column of the record. */
  linkTable: LinkTable | undefined;
  /** Maximum number of ids; 1 for a field with one id. */
  listMax: number;
}

/** Fields of one table that refer to records of another table. */
export interface Referrer {
  table: RecordTable<unknown>;
  links: readonly Link[];
  /** True if a record cannot exist without what it refers to. */
  isRequired: boolean;
}

/** Returns the tables with fields that refer to a table, from the declarations of their resources. */
export const referrersTo = perTable((target): readonly Referrer[] =>
  recordTables.flatMap((table) => {
    const links = linksOf(table).filter((link) => link.target === target.name);
    const isRequired = ({ name }: Link) => table.resource.fields[name]?.kind === 'required';
    const groups = [links.filter((link) => !isRequired(link)), links.filter(isRequired)];
    return groups.flatMap((each, i) => (each.length > 0 ? [{ table, links: each, isRequired: i === 1 }] : []));
  }),
);

/** Returns the fields of a table that refer to other records. */
const linksOf = perTable((table): readonly Link[] =>
  linkColumns(table).map((column) => ({
    ...column,
    linkTable: table.linkTables[column.name],
    listMax: column.isList ? z.toJSONSchema(table.resource.fields[column.name]!.schema, { io: 'input' }).maxItems! : 1,
  })),
);

/** Returns a condition that the record `r` refers to one of the ids; `org` and `ids` are SQL, `ids` for an array. */
export function refersTo({ links }: Referrer, org: string, ids: string): string {
  const conditions = links.map(({ name, isList, linkTable }) => {
    if (linkTable) return isLinkedTo(linkTable, org, (column) => `${column} = ANY (${ids})`);
    // The index has only lists that are not empty.
    return isList ? `(r.${name} && ${ids} AND r.${name} <> '{}')` : `r.${name} = ANY (${ids})`;
  });
  return `r.org_id = ${org} AND (${conditions.join(' OR ')})`;
}
