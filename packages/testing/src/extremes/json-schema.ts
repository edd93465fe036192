import { openApiDocument } from '@relata/schemas/openapi';

/** A schema of the OpenAPI description. */
export interface JsonSchema {
  $ref?: string;
  type?: string | readonly string[];
  enum?: readonly unknown[];
  format?: string;
  readOnly?: boolean;
  properties?: Readonly<Record<string, JsonSchema>>;
  items?: JsonSchema;
  oneOf?: readonly JsonSchema[];
  discriminator?: { propertyName: string; mapping: Readonly<Record<string, string>> };
  required?: readonly string[];
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minItems?: number;
  maxItems?: number;
}

export interface Parameter {
  in: 'path' | 'query' | 'header';
  name: string;
  schema: JsonSchema;
}

/** An operation of the OpenAPI description. */
export interface DescribedOperation {
  parameters?: readonly Parameter[];
  requestBody?: { content: { 'application/json': { schema: JsonSchema } } };
}

const { paths, components } = openApiDocument();
const schemas = components!.schemas as Record<string, JsonSchema>;

/** Returns the OpenAPI description of an operation. */
export function describedOperation(path: string, method: string): DescribedOperation {
  return (paths![path] as unknown as Record<string, DescribedOperation>)[method]!;
}

/**
 * Returns the schema behind a reference. For a union, returns the variant that `value` selects by its discriminator,
 * else the first.
 */
export function resolve(schema: JsonSchema, value?: unknown): JsonSchema {
  if (schema.$ref !== undefined) return resolve(schemas[schema.$ref.split('/').at(-1)!]!, value);
  if (!schema.discriminator) return schema;
  const { propertyName, mapping } = schema.discriminator;
  const chosen = String((value as Record<string, unknown> | undefined)?.[propertyName]);
  return resolve({ $ref: mapping[chosen] ?? Object.values(mapping)[0]! });
}

/** Returns the types of a schema; empty if any value is allowed. */
export const typesOf = ({ type }: JsonSchema): readonly string[] =>
  type === undefined ? [] : typeof type === 'string' ? [type] : type;
