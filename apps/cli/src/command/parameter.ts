import type { Db } from '@relata/db';
import { z } from 'zod';

/** An option or argument: how it is read, and what the help says of it. */
export interface Parameter<Schema extends z.ZodType = z.ZodType> {
  schema: Schema;
  description: string;
  /** The placeholder of its value in the help; a flag has none. */
  value?: string;
  /** May be given several times and is read as a list. */
  repeats?: boolean;
  /** The environment variable that is its default. */
  env?: string;
  /** Looks up what was named; what it returns takes the place of what was typed. */
  resolve?(db: Db, typed: string): Promise<string>;
}

/** By name; an option `first_name` is typed `--first-name`. */
export type Parameters = Record<string, Parameter>;

export const flag = (description: string) => ({ schema: z.boolean().default(false), description });

export const value = <Schema extends z.ZodType>(placeholder: string, schema: Schema, description: string) => ({
  value: placeholder,
  schema,
  description,
});

export const values = <Schema extends z.ZodType>(placeholder: string, schema: Schema, description: string) => ({
  ...value(placeholder, schema, description),
  repeats: true,
});

export const flagOf = (name: string) => `--${name.replaceAll('_', '-')}`;

export function isRequired({ schema }: Parameter): boolean {
  return !schema.safeParse(undefined).success;
}
