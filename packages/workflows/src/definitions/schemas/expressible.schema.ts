import { z } from 'zod';

/** A string with an expression in it. It is allowed in place of any value. */
export const ExpressionText = z
  .string()
  .regex(/\$\{\{/, { abort: true })
  .meta({ id: 'Expression', description: 'A text that contains `${{ expression }}`. The result can be any value.' });

/**
 * Returns a schema that also accepts an expression in place of the value or of an item of a list. The value of an
 * expression is checked when the step runs.
 */
export function expressible(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional) return expressible(schema.unwrap() as z.ZodType).optional();
  if (schema instanceof z.ZodNullable) return orExpression((schema.unwrap() as z.ZodType).nullable());
  return orExpression(schema);
}

function orExpression(schema: z.ZodType): z.ZodType {
  const union = z.union([withExpressibleItems(schema), ExpressionText]);
  const description = descriptionOf(schema);
  return description === undefined ? union : union.meta({ description });
}

function descriptionOf(schema: z.ZodType): string | undefined {
  if (schema instanceof z.ZodNullable) return descriptionOf(schema.unwrap() as z.ZodType);
  return schema.meta()?.description;
}

function withExpressibleItems(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodNullable) return withExpressibleItems(schema.unwrap() as z.ZodType).nullable();
  if (!(schema instanceof z.ZodArray)) return schema;
  return z.core.clone(schema, { ...schema._zod.def, element: expressible(schema.element as z.ZodType) });
}

/** Applies `expressible` to each member of a shape. */
export function expressibleShape(shape: Readonly<Record<string, z.ZodType>>): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, expressible(field)]));
}
