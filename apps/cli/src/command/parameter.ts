import type { Db } from '@relata/db';
import { uuid } from '@relata/schemas';
import { z } from 'zod';
import { CliError } from '../output/cli.error.ts';

/** An option or argument: its schema and its help. */
export interface Parameter<Schema extends z.ZodType = z.ZodType, Found = unknown> {
  schema: Schema;
  description: string;
  /** Placeholder of its value in the help; undefined for a flag. */
  value?: string;
  /** True if it can be given several times, and is read as a list. */
  repeats?: boolean;
  /** Environment variable to use if the option is not given. */
  env?: string;
  /**
   * Finds the object with the typed id or name, in the organization of `--org` if given. The object replaces the typed
   * text.
   */
  resolve?(db: Db, typed: string, orgId: string | undefined): Promise<Found>;
}

/** Parameters by name; the option `first_name` is typed as `--first-name`. */
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

/** Reads a typed whole number of at most ten digits. */
export const integer = (min: number, max: number) =>
  z
    .string()
    .transform((text) => (/^\d{1,10}$/.test(text) ? Number(text) : Number.NaN))
    .refine((number) => number >= min && number <= max, {
      message: `Must be a whole number from ${min} to ${max}.`,
      params: { code: 'out_of_range' },
    });

/** Reports that the typed text is invalid. */
export function refuseText(ctx: z.RefinementCtx, message: string): never {
  ctx.issues.push({ code: 'custom', params: { code: 'invalid_format' }, message, input: ctx.value });
  return z.NEVER;
}

interface ReferenceSpec<Found> {
  /** Name of the record in messages. */
  noun: string;
  /** Command that lists such records. */
  list: string;
  findOrganization(db: Db, id: string): Promise<string | undefined>;
  find(db: Db, orgId: string, id: string): Promise<Found | undefined>;
}

/** Returns a function that finds a record by its id, in any organization or only in the given one. */
export function lookUp<Found>({ noun, list, findOrganization, find }: ReferenceSpec<Found>) {
  return async (db: Db, id: string, orgId?: string): Promise<Found> => {
    const owner = await findOrganization(db, id);
    const isOfAnother = owner !== undefined && orgId !== undefined && owner !== orgId;
    const found = owner === undefined || isOfAnother ? undefined : await find(db, owner, id);
    if (found !== undefined) return found;
    const where = isOfAnother ? ` in the organization ${orgId}: it belongs to another organization` : '';
    throw new CliError('not_found', `There is no ${noun} ${id}${where}. See: relata ${list}`);
  };
}

/** Declares a parameter for the id of an object. The command receives the object itself. */
export const reference = <Found>(placeholder: string, description: string, spec: ReferenceSpec<Found>) => ({
  ...value(placeholder, uuid(), description),
  resolve: lookUp(spec),
});

export const optionalReference = <Found>(placeholder: string, description: string, spec: ReferenceSpec<Found>) => ({
  ...value(placeholder, uuid().optional(), description),
  resolve: lookUp(spec),
});

export const toFlag = (name: string) => `--${name.replaceAll('_', '-')}`;

export function isRequired({ schema }: Parameter): boolean {
  return !schema.safeParse(undefined).success;
}
