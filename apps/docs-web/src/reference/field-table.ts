import { nameOf, type Schema, typeText } from './type-text.ts';

const depthMax = 4;

interface Row {
  path: string;
  schema: Schema;
  isRequired: boolean;
}

export type Schemas = Readonly<Record<string, Schema>>;

/**
 * Returns a table of the fields of an object. Nested fields have paths: `fill.city`, `items[].id`. Objects in `linked`
 * have a table of their own, so this table has only their names.
 */
export function fieldTable(schema: Schema, schemas: Schemas, linked: ReadonlySet<string> = new Set()): string {
  const rows = rowsOf(schema, { schemas, linked, path: '', depth: 0 });
  const lines = rows.map(({ path, schema: field, isRequired }) => [
    `\`${path}\`${isRequired ? ' required' : ''}`,
    cell(linkedType(field, linked)),
    cell(meaning(field)),
  ]);
  return tableText([['Field', 'Type', 'Description'], ...lines]);
}

/**
 * Returns the tables of a body under a title. If a field decides between variants, each variant has its own table,
 * because its required fields differ.
 */
export function bodyTables(title: string, schema: Schema, schemas: Schemas, linked: ReadonlySet<string>): string[] {
  const known = schema.$ref === undefined ? schema : schemas[nameOf(schema.$ref)]!;
  const { propertyName, mapping } = known.discriminator ?? {};
  if (mapping === undefined) return [`**${title}**`, fieldTable(known, schemas, linked)];
  return Object.entries(mapping).flatMap(([value, $ref]) => [
    `**${title}, if \`${propertyName}\` is \`${value}\`**`,
    fieldTable({ $ref }, schemas, linked),
  ]);
}

interface Place {
  schemas: Schemas;
  linked: ReadonlySet<string>;
  path: string;
  depth: number;
}

function rowsOf(schema: Schema, place: Place): Row[] {
  const { schemas, linked, path, depth } = place;
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref);
    return linked.has(name) ? [] : rowsOf(schemas[name]!, place);
  }
  if (depth > depthMax) return [];
  if (schema.oneOf) throw new Error(`A union has no table of its fields unless it is a whole body: ${path}`);
  if (schema.items) return rowsOf(schema.items, { ...place, path: `${path}[]`, depth: depth + 1 });
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    if (field.readOnly) return [];
    const own = path === '' ? name : `${path}.${name}`;
    const row = { path: own, schema: field, isRequired: schema.required?.includes(name) ?? false };
    return [row, ...rowsOf(field, { ...place, path: own, depth: depth + 1 })];
  });
}

export const meaning = ({ description = '', default: byDefault }: Schema) =>
  byDefault === undefined ? description : `${description} Default: \`${JSON.stringify(byDefault)}\`.`.trim();

/** Returns the type of a value. The name of an object with its own section becomes a link. */
function linkedType(schema: Schema, linked: ReadonlySet<string>): string {
  return typeText(schema).replaceAll(/\b[A-Z]\w+\b/g, (name) =>
    linked.has(name) ? `[${name}](#${name.toLowerCase()})` : 'object',
  );
}

/** Formats lines of cells as a Markdown table; the first line has the headings. */
export function tableText([headings = [], ...lines]: readonly (readonly string[])[]): string {
  const rule = headings.map(() => '---').join('|');
  return `| ${headings.join(' | ')} |\n|${rule}|\n${lines.map((line) => `| ${line.join(' | ')} |\n`).join('')}`;
}

/** Escapes a text for a cell of a Markdown table. */
export const cell = (text: string) => text.replaceAll('|', String.raw`\|`).replaceAll(/\s*\n\s*/g, ' ');
