import { randomUUID } from 'node:crypto';
import type { Db } from '@relata/db';
import { systemActor } from '@relata/events';
import { insertRecords, newRow, type RecordTable, recordTables } from '@relata/records';
import type { DeclaredResource, OperationSpec } from '@relata/schemas';

type Row = Readonly<Record<string, unknown>>;
type Table = RecordTable<unknown>;

/** Ids of one record of every kind, by the name of its resource. */
export type ExampleIds = Record<DeclaredResource['name'], string>;

/** Inserts one record of every kind, from the examples in their declarations. */
export async function insertExamples(db: Db, orgId: string): Promise<ExampleIds> {
  const ids = new Map<string, string>();
  for (let left = recordTables; left.length > 0;) {
    const ready = left.filter((table) => tablesNamed(table).every((name) => ids.has(name)));
    if (ready.length === 0)
      throw new Error(`These examples refer to each other in a cycle: ${left.map(({ name }) => name).join(', ')}.`);
    for (const table of ready) {
      const row = newRow(
        systemActor(orgId, 'example'),
        table,
        withIds(table, table.resource.example, (name) => ids.get(name)!),
      );
      const [created] = await insertRecords(db, table, [row]);
      ids.set(table.name, (created as { id: string }).id);
    }
    left = left.filter(({ name }) => !ids.has(name));
  }
  return Object.fromEntries(recordTables.map(({ name, resource }) => [resource.name, ids.get(name)!])) as ExampleIds;
}

/** Returns the tables to which the example of a table refers. */
function tablesNamed({ resource, references }: Table): string[] {
  return Object.keys(references).flatMap((field) => (field in resource.example ? [references[field]!] : []));
}

/** Returns an example with its placeholder ids replaced by those of existing records. */
function withIds({ references }: Pick<Table, 'references'>, example: Row, idOf: (table: string) => string): Row {
  const entries = Object.entries(example).map(([field, value]) => {
    const table = references[field];
    if (table === undefined || value === null) return [field, value];
    return [field, Array.isArray(value) ? [idOf(table)] : idOf(table)];
  });
  return Object.fromEntries(entries) as Row;
}

const byOperation = new Map(
  recordTables.flatMap((table) =>
    Object.values<OperationSpec>(table.resource.operations).map(({ id }) => [id, table] as const),
  ),
);

/**
 * Returns the table of an operation. Throws for an operation without a resource; its test suite must provide the
 * records itself.
 */
function tableOf({ id, path }: OperationSpec): Table {
  const table = byOperation.get(id);
  if (!table) throw new Error(`${id} at ${path} belongs to no resource: there is no example for it.`);
  return table;
}

function idIn(ids: ExampleIds, table: string): string {
  const { resource } = recordTables.find(({ name }) => name === table)!;
  return ids[resource.name as keyof ExampleIds];
}

/** Returns the path of an operation on one of the example records, with the required query. */
export function examplePath(spec: OperationSpec, ids: ExampleIds): string {
  const path = spec.params ? spec.path.replace('{id}', idIn(ids, tableOf(spec).name)) : spec.path;
  return spec.exampleQuery ? `${path}?${spec.exampleQuery}` : path;
}

/** Returns the path with the values of a query parameter replaced by these. */
export function withParameter(path: string, name: string, values: readonly string[]): string {
  const [before = '', query = ''] = path.split('?');
  const pairs = [...new URLSearchParams(query)].filter(([each]) => each !== name);
  const all = [...pairs, ...values.map((value) => [name, value] as const)];
  return `${before}?${all.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')}`;
}

/** Creates a record like the example and returns the path of an operation that removes it. */
export async function freshPath(db: Db, orgId: string, spec: OperationSpec, ids: ExampleIds): Promise<string> {
  const table = tableOf(spec);
  const fields = withIds(table, table.resource.example, (name) => idIn(ids, name));
  const row = newRow(systemActor(orgId, 'example'), table, withOwn(table, fields));
  const [created] = await insertRecords(db, table, [row]);
  return spec.path.replace('{id}', (created as { id: string }).id);
}

/** Returns the documented body of an operation, with references to the example records. */
export function exampleBody(spec: OperationSpec, ids: ExampleIds): Record<string, unknown> {
  const table = tableOf(spec);
  const known = (fields: Row) => ({ ...withIds(table, fields, (name) => idIn(ids, name)) });
  const { example = {} } = spec;
  if (spec.hasItems) return { ...example, items: (example['items'] as Row[]).map(known) };
  if (!spec.mayCreate)
    return spec.id === table.resource.operations.create?.id ? withOwn(table, known(example)) : known(example);
  const { create, fill } = example as Record<string, Row>;
  return { ...example, create: known(create!), fill: known(fill!) };
}

/** Returns the fields of a new record; the unique field has a new value at each call. */
function withOwn({ resource: { unique } }: Table, fields: Row): Record<string, unknown> {
  if (unique === undefined) return { ...fields };
  const value = String(fields[unique]);
  return { ...fields, [unique]: value.includes('@') ? `${randomUUID()}@acme.example` : `${value} ${randomUUID()}` };
}

/**
 * Returns a valid body of each kind that an operation accepts. The bodies have only required fields, so that any other
 * field can be added without a conflict. An upsert matches no record, so it creates one.
 */
export function roomyBodies(spec: OperationSpec, ids: ExampleIds): Record<string, unknown>[] {
  const table = tableOf(spec);
  const { resource, references } = table;
  const required = Object.entries(resource.example).filter(([name]) => resource.fields[name]?.kind === 'required');
  const fields = withIds({ references }, Object.fromEntries(required), (name) => idIn(ids, name));
  const upsert = () => ({ match: { crm_id: randomUUID() }, create: fields });
  if (spec.mayCreate) return [upsert()];
  if (!spec.hasItems) return [spec.method === 'patch' ? {} : withOwn(table, fields)];
  const id = ids[resource.name as keyof ExampleIds];
  const items = { create: fields, update: { id, set: {} }, upsert: upsert() };
  const isOffered = (kind: string) => kind === 'create' || resource[kind as 'update' | 'upsert'] !== undefined;
  return Object.entries(items)
    .filter(([kind]) => isOffered(kind))
    .map(([operation, item]) => ({ operation, items: [item] }));
}

/** Returns each field that refers to records, with the id of one of these records as its value. */
export function exampleReferences(spec: OperationSpec, ids: ExampleIds): Record<string, unknown> {
  const { columns, references } = tableOf(spec);
  const isList = (field: string) => columns.find(({ name }) => name === field)?.type === 'uuid[]';
  const entries = Object.entries(references).map(([field, table]) => [
    field,
    isList(field) ? [idIn(ids, table)] : idIn(ids, table),
  ]);
  return Object.fromEntries(entries) as Record<string, unknown>;
}
