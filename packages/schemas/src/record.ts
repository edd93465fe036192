import { z } from 'zod';
import { timestamp } from './instant.ts';

type Shape = Record<string, z.ZodType>;
type Nullish<S extends Shape> = { [K in keyof S]: z.ZodOptional<z.ZodNullable<S[K]>> };
type Optional<S extends Shape> = { [K in keyof S]: z.ZodOptional<S[K]> };

function mapShape(shape: Shape, change: (field: z.ZodType) => z.ZodType): Shape {
  return Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, change(field)]));
}

/** Keeps the description beside the wrapper, where OpenAPI shows it. */
function wrap(field: z.ZodType, wrapper: z.ZodType): z.ZodType {
  const description = field.meta()?.description;
  return description === undefined ? wrapper : wrapper.meta({ description });
}

export function nullish<S extends Shape>(shape: S): Nullish<S> {
  return mapShape(shape, (field) => wrap(field, field.nullish())) as Nullish<S>;
}

export function optional<S extends Shape>(shape: S): Optional<S> {
  return mapShape(shape, (field) => wrap(field, field.optional())) as Optional<S>;
}

/** Accepted in a body and ignored, so that what a GET returned can be edited and sent back. */
export const readOnlyFields = {
  id: ignored(),
  crm_id: ignored(),
  created_at: ignored(),
  updated_at: ignored(),
};

function ignored() {
  return z.unknown().optional().meta({ readOnly: true, description: 'Set by the service; ignored in a body.' });
}

/** The fields that every record carries. */
export const recordFields = {
  id: z.string().meta({ format: 'uuid', description: 'UUID version 7, made by the service.' }),
  crm_id: z.string().optional().meta({ description: 'Id of the record in an external CRM.' }),
  created_at: timestamp('When the record was created.'),
  updated_at: timestamp('When the record last changed.'),
};
