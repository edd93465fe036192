import { nameOf, type Schema, typeText } from './type-text.ts';

const depthMax = 4;

interface Row {
  path: string;
  schema: Schema;
  isRequired: boolean;
}

export type Schemas = Readonly<Record<string, Schema>>;

/**
 * Returns a table of the fields of an object, nested ones by their path: `fill.city`, `items[].id`. Objects in `linked`
 * have a table of their own and are only named.
 */
export function fieldTable(schema: Schema, schemas: Schemas, linked: ReadonlySet<string> = new Set()): string {
  const rows = rowsOf(schema, { schemas, linked, path: '', depth: 0 });
  const lines = rows.map(({ path, schema: field, isRequired }) =>
    [`\`${path}\`${isRequired ? ' required' : ''}`, cell(linkedType(field, linked)), cell(meaning(field))].join(' | '),
  );
  return `| Field | Type | Description |\n|---|---|---|\n${lines.map((line) => `| ${line} |\n`).join('')}`;
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
  const variants = schema.oneOf ?? schema.anyOf ?? schema.allOf;
  if (variants) return distinct(variants.flatMap((variant) => rowsOf(variant, place)));
  if (schema.items) return rowsOf(schema.items, { ...place, path: `${path}[]`, depth: depth + 1 });
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    if (field.readOnly) return [];
    const own = path === '' ? name : `${path}.${name}`;
    const row = { path: own, schema: field, isRequired: schema.required?.includes(name) ?? false };
    return [row, ...rowsOf(field, { ...place, path: own, depth: depth + 1 })];
  });
}

/** Keeps the first row of each path; types of the variants are joined. */
function distinct(rows: readonly Row[]): Row[] {
  return [...Map.groupBy(rows, ({ path }) => path).values()].map((same) => {
    const [first] = same as [Row];
    const types = new Set(same.map(({ schema }) => typeText(schema)));
    return {
      path: first.path,
      schema: types.size === 1 ? first.schema : { anyOf: same.map(({ schema }) => schema) },
      isRequired: same.every(({ isRequired }) => isRequired),
    };
  });
}

export const meaning = ({ description = '', default: byDefault }: Schema) =>
  byDefault === undefined ? description : `${description} Default: \`${JSON.stringify(byDefault)}\`.`.trim();

/** Names of objects that have a section of their own are links. */
function linkedType(schema: Schema, linked: ReadonlySet<string>): string {
  return typeText(schema).replaceAll(/\b[A-Z]\w+\b/g, (name) =>
    linked.has(name) ? `[${name}](#${name.toLowerCase()})` : 'object',
  );
}

/** Returns a text as a cell of a table. */
export const cell = (text: string) => text.replaceAll('|', String.raw`\|`).replaceAll(/\s*\n\s*/g, ' ');
