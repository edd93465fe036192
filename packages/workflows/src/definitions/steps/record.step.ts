import { conflictingFields, shortText, onSeveral, uuid } from '@relata/schemas';
import { z } from 'zod';
import { expressible, expressibleShape } from '../schemas/expressible.schema.ts';
import { stepKind } from './step-kind.ts';
import { jointly, strictObject } from '../schemas/strict-object.schema.ts';

type Shape = Readonly<Record<string, z.ZodType>>;

/** A kind of record that workflows can create and change. */
interface Written<Name extends string> {
  name: Name;
  record: z.ZodObject;
  create: z.ZodObject;
  update: z.ZodObject;
  /** Fields by which a record is looked up. */
  matches: Shape;
  /** Lists to which values can be added. */
  addable: z.ZodObject;
}

/** Values for the examples of the step kinds. */
interface ExampleValues {
  match: Values;
  create: Values;
  change: Values;
  /** Values of an upsert besides `match`. */
  upsert: { create?: Values; fill?: Values; add?: Values };
}

type Values = Readonly<Record<string, unknown>>;

/** Returns the fields that a caller of the API can write. */
export function writable(shape: Shape): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(shape).filter(([, field]) => field.meta()?.readOnly !== true));
}

const crmId = shortText().meta({ description: 'Id of the record in an external CRM.' });

/**
 * Fields that each write step of a workflow can set, to import records from other CRMs. In the API, only upserts and
 * merges can set them.
 */
const workflowFields = { crm_id: crmId.nullish() };

/** Returns the step kinds for a kind of record. */
export function recordStepKinds<Name extends string>(
  { name, record, create, update, matches, addable }: Written<Name>,
  example: ExampleValues,
) {
  const output = new Set(Object.keys(record.shape));
  const values = fields({ ...writable(update.shape), ...workflowFields }).meta({ id: `${name}.values` });
  const additions = {
    fill: expressible(values.meta({ description: 'Fields to set only if they are empty in the record.' })).optional(),
    add: expressible(
      fields(addable.shape).meta({ description: 'Values to append to lists, unless they are there already.' }),
    ).optional(),
  };
  const matching = expressible(atLeastOne(fields(optional(matches))).meta({ description: 'The record to find.' }));
  return [
    stepKind({
      use: `${name}.create`,
      summary: `Creates a new ${name}, also if a similar one exists.`,
      example: { with: { set: example.create } },
      executor: 'record',
      with: strictObject({ set: expressible(fields({ ...writable(create.shape), ...workflowFields })) }),
      output,
    }),
    stepKind({
      use: `${name}.update`,
      summary: `Changes the ${name} with this id.`,
      example: { with: { id: `\${{ payload.${name}_id }}`, set: example.change } },
      executor: 'record',
      with: compatible(
        jointly(
          strictObject({ id: expressible(uuid()), set: expressible(atLeastOne(values)).optional(), ...additions }),
          (given) =>
            ['set', 'fill', 'add'].some((part) => given[part] !== undefined)
              ? undefined
              : 'Must have `set`, `fill` or `add`.',
        ),
      ),
      output,
    }),
    stepKind({
      use: `${name}.upsert`,
      summary: `Changes the ${name} that matches, or creates it.`,
      example: { with: { match: example.match, ...example.upsert } },
      executor: 'record',
      with: compatible(
        strictObject({
          match: matching,
          create: expressible(values.meta({ description: 'Fields to set only if a record is created.' })).optional(),
          ...additions,
          set: expressible(values).optional(),
          on_several: onSeveral.optional(),
        }),
      ),
      output: new Set([...output, 'action']),
    }),
    stepKind({
      use: `${name}.delete`,
      summary: `Moves the ${name} with this id to the trash, and yields it as it was.`,
      example: { with: { id: `\${{ payload.${name}_id }}` } },
      executor: 'record',
      with: strictObject({
        id: expressible(uuid()),
        cascade: expressible(
          z.boolean().meta({ description: 'True to delete the records that cannot exist without it, too.' }),
        ).optional(),
      }),
      output,
    }),
    stepKind({
      use: `${name}.find`,
      summary: `Looks up the ${name} that matches, and yields null if there is none.`,
      example: { with: { match: example.match } },
      executor: 'record',
      with: strictObject({ match: matching }),
      output,
    }),
  ] as const;
}

function fields(shape: Shape) {
  return strictObject(expressibleShape(shape));
}

function optional(shape: Shape): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, field.optional()]));
}

/** Refuses a field in two parts of a step that exclude each other, such as `set` and `fill`. */
function compatible<S extends z.ZodType>(schema: S): S {
  return jointly(schema, (given) => {
    const lines = conflictingFields(given).map(({ part, name, message }) => `${part}.${name}: ${message}`);
    return lines.length > 0 ? lines.join('\n') : undefined;
  });
}

function atLeastOne<S extends z.ZodObject>(schema: S): S {
  const names = Object.keys(schema.shape).join(', ');
  const checked = jointly(schema, (value) =>
    Object.keys(value).length > 0 ? undefined : `Must have at least one of: ${names}.`,
  );
  return checked.meta({ minProperties: 1 });
}
