import { z } from 'zod';
import { timestamp } from './instant.ts';

/**
 * How a field is given and shown:
 *
 * - `required`: always present, must be given.
 * - `optional`: left out if it has no value.
 * - `nullable`: shown as `null` if it has no value.
 * - `defaulted`: always present, need not be given; `null` stands for the default.
 * - `preset`: always present, need not be given; `null` stands for the preset in a create, and is refused in a patch.
 * - `fixed`: always present, and set only by the service.
 */
export type FieldKind = 'required' | 'optional' | 'nullable' | 'defaulted' | 'preset' | 'fixed';

interface Field<Kind extends FieldKind = FieldKind, Schema extends z.ZodType = z.ZodType> {
  kind: Kind;
  /** Schema of a present value. */
  schema: Schema;
  /** Value in a new record if none is given; undefined if it depends on other records or fields. */
  preset?: unknown;
}

export type Fields = Readonly<Record<string, Field>>;

function fieldOf<Kind extends FieldKind>(kind: Kind) {
  return <Schema extends z.ZodType>(schema: Schema): Field<Kind, Schema> => ({ kind, schema });
}

export const required = fieldOf('required');
export const optional = fieldOf('optional');
export const nullable = fieldOf('nullable');
export const defaulted = fieldOf('defaulted');
export const fixed = fieldOf('fixed');

export function preset<Schema extends z.ZodType>(schema: Schema, value?: z.output<Schema>): Field<'preset', Schema> {
  return { kind: 'preset', schema, preset: value };
}

export type Shape = Readonly<Record<string, z.ZodType>>;
type Optional<Schema extends z.ZodType> = z.ZodOptional<Schema>;
type Nullish<Schema extends z.ZodType> = z.ZodOptional<z.ZodNullable<Schema>>;
type KindOf<F> = F extends Field<infer Kind> ? Kind : never;
type SchemaOf<F> = F extends Field<FieldKind, infer Schema> ? Schema : never;

/** Fields in a response. */
export type Shown<F extends Fields> = {
  [Name in keyof F]: KindOf<F[Name]> extends 'optional'
    ? Optional<SchemaOf<F[Name]>>
    : KindOf<F[Name]> extends 'nullable'
      ? z.ZodNullable<SchemaOf<F[Name]>>
      : SchemaOf<F[Name]>;
};

type Writable<F extends Fields> = keyof { [Name in keyof F as KindOf<F[Name]> extends 'fixed' ? never : Name]: 0 };

/** Fields in the body of a create. */
export type Given<F extends Fields> = {
  [Name in Writable<F> & keyof F]: KindOf<F[Name]> extends 'required' ? SchemaOf<F[Name]> : Nullish<SchemaOf<F[Name]>>;
};

/** Fields in a merge patch. */
export type Patched<F extends Fields> = {
  [Name in Writable<F> & keyof F]: KindOf<F[Name]> extends 'required' | 'preset'
    ? Optional<SchemaOf<F[Name]>>
    : Nullish<SchemaOf<F[Name]>>;
};

/** Returns the wrapper with the description of the wrapped schema, since OpenAPI would not look for it inside. */
function wrap(schema: z.ZodType, wrapper: z.ZodType): z.ZodType {
  const description = schema.meta()?.description;
  return description === undefined ? wrapper : wrapper.meta({ description });
}

function mapFields(fields: Fields, schemaOf: (field: Field) => z.ZodType): Shape {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, schemaOf(field)]));
}

function writable(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, { kind }]) => kind !== 'fixed'));
}

export function shown<F extends Fields>(fields: F): Shown<F> {
  return mapFields(fields, ({ kind, schema }) => {
    if (kind === 'optional') return wrap(schema, schema.optional());
    return kind === 'nullable' ? wrap(schema, schema.nullable()) : schema;
  }) as Shown<F>;
}

export function given<F extends Fields>(fields: F): Given<F> {
  return mapFields(writable(fields), ({ kind, schema, preset }) => {
    if (kind === 'required') return schema;
    if (preset === undefined) return wrap(schema, schema.nullish());
    const withPreset = schema.nullable().default(preset as never);
    return wrap(
      schema,
      withPreset.overwrite((value) => value ?? preset),
    );
  }) as Given<F>;
}

export function patched<F extends Fields>(fields: F): Patched<F> {
  return mapFields(writable(fields), ({ kind, schema }) =>
    wrap(schema, kind === 'required' || kind === 'preset' ? schema.optional() : schema.nullish()),
  ) as Patched<F>;
}

function mapShape(shape: Shape, change: (schema: z.ZodType) => z.ZodType): Shape {
  return Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, wrap(schema, change(schema))]));
}

export function optionals<S extends Shape>(shape: S): { [Name in keyof S]: Optional<S[Name]> } {
  return mapShape(shape, (schema) => schema.optional()) as { [Name in keyof S]: Optional<S[Name]> };
}

export function nullishes<S extends Shape>(shape: S): { [Name in keyof S]: Nullish<S[Name]> } {
  return mapShape(shape, (schema) => schema.nullish()) as { [Name in keyof S]: Nullish<S[Name]> };
}

/** Fields that are accepted in a body and ignored, so that a client can edit what a GET returned and send it back. */
export const readOnlyFields = {
  id: ignored(),
  crm_id: ignored(),
  created_at: ignored(),
  updated_at: ignored(),
};

/** Like `readOnlyFields`, for records whose `crm_id` an upsert sets. */
export const readOnlyFieldsWithCrmId = {
  ...readOnlyFields,
  crm_id: ignored(
    'Ignored in POST and PATCH. An upsert sets it: `{"match": {"id": "…"}, "set": {"crm_id": "…"}}`, or `match.crm_id` ' +
      'for a new record.',
  ),
};

function ignored(description = 'Set by the service; ignored in request bodies.') {
  return z.unknown().optional().meta({ readOnly: true, description });
}

/** Fields that every record has. */
export const recordFields = {
  id: z.string().meta({ format: 'uuid', description: 'UUID version 7, generated by the service.' }),
  crm_id: z.string().optional().meta({ description: 'Id of the record in an external CRM.' }),
  created_at: timestamp('When the record was created.'),
  updated_at: timestamp('When the record last changed.'),
};
