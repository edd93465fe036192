/** A JSON Schema, with the keywords that the OpenAPI document uses. */
export interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  format?: string;
  enum?: readonly unknown[];
  const?: unknown;
  description?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Readonly<Record<string, Schema>>;
  additionalProperties?: boolean | Schema;
  required?: readonly string[];
  readOnly?: boolean;
  oneOf?: readonly Schema[];
  /** The field that decides between the variants of a union, with the schema for each of its values. */
  discriminator?: { propertyName: string; mapping: Readonly<Record<string, string>> };
}

export const nameOf = (ref: string) => ref.split('/').at(-1)!;

const words = (value: unknown) => `\`${JSON.stringify(value)}\``;

/** Returns the type of a value in words: `string (uuid) or null`, `string (1 to 255 characters)`. */
export function typeText(schema: Schema): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  if (schema.oneOf) return [...new Set(schema.oneOf.map(typeText))].join(' or ');
  if (schema.const !== undefined) return words(schema.const);
  if (schema.enum) return schema.enum.map(words).join(', ');
  const types = [schema.type ?? 'any'].flat();
  return types
    .map((type) => (type === 'array' ? arrayText(schema) : `${type}${detailText(type, schema)}`))
    .join(' or ');
}

function arrayText({ items = {}, minItems, maxItems }: Schema): string {
  const count = rangeText(minItems, maxItems);
  return `array of ${typeText(items)}${count ? ` (${count} items)` : ''}`;
}

function detailText(type: string, schema: Schema): string {
  const details =
    type === 'string'
      ? [schema.format, withUnit(rangeText(schema.minLength, schema.maxLength), 'characters')]
      : type === 'integer' || type === 'number'
        ? [rangeText(schema.minimum, schema.maximum), exclusiveText(schema)]
        : [];
  const given = details.filter(Boolean);
  return given.length === 0 ? '' : ` (${given.join(', ')})`;
}

const withUnit = (range: string, unit: string) => (range ? `${range} ${unit}` : '');

function rangeText(min: number | undefined, max: number | undefined): string {
  if (max === undefined) return min === undefined || min === 0 ? '' : `at least ${grouped(min)}`;
  return min === undefined || min === 0 ? `up to ${grouped(max)}` : `${grouped(min)} to ${grouped(max)}`;
}

function exclusiveText({ exclusiveMinimum: min, exclusiveMaximum: max }: Schema): string {
  const limits = [
    ...(min === undefined ? [] : [`over ${grouped(min)}`]),
    ...(max === undefined ? [] : [`under ${grouped(max)}`]),
  ];
  return limits.join(' and ');
}

const grouped = (value: number) => String(value).replaceAll(/\B(?=(\d{3})+$)/g, ',');
