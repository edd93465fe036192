import { z } from 'zod';
import { recordTables } from '../record-tables.ts';
import type { LinkTable } from '../table/link-table.ts';
import { memoizePerTable, type RecordTable } from '../table/record-table.ts';
import { type LinkColumn, linkColumns } from '../table/written-table.ts';

/** A field with the id of another record, or with a list of ids. */
export interface Link extends LinkColumn {
  /** Table that stores the ids of a list; undefined if a column of the record stores them. */
  linkTable: LinkTable | undefined;
  /** Maximum number of ids; 1 for a field with one id. */
  listMax: number;
}

/** Fields of one table that refer to records of another table. */
export interface IncomingLink {
  table: RecordTable<unknown>;
  links: readonly Link[];
  /** True if a record of this table cannot exist without the record that it refers to. */
  isRequired: boolean;
}

/**
 * Returns the length of the longest chain of references that begins at a table. Transactions lock records of several
 * tables in this order, to avoid deadlocks: accounts, contacts, opportunities, activities.
 */
const depthOf = memoizePerTable((table): number => {
  const targets = recordTables.filter(({ name }) => Object.values(table.references).includes(name));
  return Math.max(0, ...targets.map((target) => 1 + depthOf(target)));
});

/**
 * Returns the tables with fields that refer to a table, in the order in which their records are locked. The
 * declarations of their resources name these fields.
 */
export const incomingLinksTo = memoizePerTable((target): readonly IncomingLink[] =>
  recordTables
    .toSorted((a, b) => depthOf(a) - depthOf(b))
    .flatMap((table) => {
      const links = linksOf(table).filter((link) => link.target === target.name);
      const isRequired = ({ name }: Link) => table.resource.fields[name]?.kind === 'required';
      const groups = [links.filter((link) => !isRequired(link)), links.filter(isRequired)];
      return groups.flatMap((each, i) => (each.length > 0 ? [{ table, links: each, isRequired: i === 1 }] : []));
    }),
);

/** Returns the fields of a table that refer to other records. */
const linksOf = memoizePerTable((table): readonly Link[] =>
  linkColumns(table).map((column) => ({
    ...column,
    linkTable: table.linkTables[column.name],
    listMax: column.isList ? z.toJSONSchema(table.resource.fields[column.name]!.schema, { io: 'input' }).maxItems! : 1,
  })),
);

/** Returns a function that creates a value for each incoming link on first use, and then reuses it. */
export function memoizePerLink<Value>(make: (referrer: IncomingLink) => Value): (referrer: IncomingLink) => Value {
  const made = new WeakMap<IncomingLink, Value>();
  return (referrer) => made.getOrInsertComputed(referrer, make);
}

/** Returns the name of a statement for an incoming link, such as `contacts.move.accounts`. */
export const statementName = ({ table, links, isRequired }: IncomingLink, verb: string) =>
  [table.name, verb, links[0]!.target, ...(isRequired ? ['required'] : [])].join('.');

/**
 * Returns SQL for the ids of records that refer to one id; `org` and `id` are SQL. Each look-up is a range (`>=` and
 * `<=`) in the order of its index: for an equality, the planner might expect many rows and scan the table for the first
 * one. The index of a list column has no order, so all matching rows are read into an array: with a limit, the planner
 * might scan the table, too.
 */
export function referringIds({ table, links }: IncomingLink, org: string, id: string, limit: string): string {
  const within = (column: string, key: string) =>
    `${column} >= ${id} AND ${column} <= ${id} ORDER BY ${column}, ${key} LIMIT ${limit}`;
  return links
    .map(({ name, isList, linkTable }) => {
      if (linkTable) {
        const { name: rows, record, linked } = linkTable;
        return `(SELECT l.${record} AS id FROM ${rows} l WHERE l.org_id = ${org} AND ${within(`l.${linked}`, `l.${record}`)})`;
      }
      const from = `SELECT r.id FROM ${table.name} r WHERE r.org_id = ${org} AND`;
      // The index contains only lists that are not empty.
      return isList
        ? `(SELECT unnest(ARRAY(${from} r.${name} @> ARRAY[${id}] AND r.${name} <> '{}')) AS id)`
        : `(${from} ${within(`r.${name}`, 'r.id')})`;
    })
    .join(' UNION ALL ');
}
