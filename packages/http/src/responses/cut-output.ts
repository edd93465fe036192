import { z } from 'zod';
import type { BaseSpec } from '@relata/schemas';
import { SerializedJson } from './serialized-json.ts';

type Cut = (value: unknown) => unknown;

const whole: Cut = (value) => value;

/** Returns a function that removes from an operation's outputs every field that its schema does not name. */
export function cutTo({ success }: BaseSpec): Cut {
  const cut = success.body ? cutOf(success.body) : whole;
  return (output) => (output instanceof SerializedJson ? output : cut(output));
}

/**
 * Returns the cut for a schema. It cuts objects and lists of objects; a value of any other schema, such as a union,
 * stays whole.
 */
function cutOf(schema: z.core.$ZodType): Cut {
  if (schema instanceof z.ZodObject) return cutOfObject(schema);
  if (schema instanceof z.ZodArray) return eachOf(cutOf(schema.element));
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) return unlessMissing(cutOf(schema.unwrap()));
  return whole;
}

function cutOfObject({ shape, def }: z.ZodObject): Cut {
  // The schema allows additional fields.
  if (def.catchall && !(def.catchall instanceof z.ZodNever)) return whole;
  const cuts = Object.entries(shape).map(([name, schema]) => [name, cutOf(schema)] as const);
  return (value) => {
    const given = value as Record<string, unknown>;
    return Object.fromEntries(cuts.flatMap(([name, cut]) => (name in given ? [[name, cut(given[name])]] : [])));
  };
}

const eachOf = (cut: Cut): Cut => (cut === whole ? whole : (value) => (value as unknown[]).map(cut));

const unlessMissing = (cut: Cut): Cut =>
  cut === whole ? whole : (value) => (value === null || value === undefined ? value : cut(value));
