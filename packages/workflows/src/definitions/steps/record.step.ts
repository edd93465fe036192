import { lineText, uuid } from '@relata/schemas';
import type { z } from 'zod';
import { expressible, expressibleShape } from '../schemas/expressible.schema.ts';
import { stepKind } from './step-kind.ts';
import { jointly, strictObject } from '../schemas/strict-object.schema.ts';

type Shape = Readonly<Record<string, z.ZodType>>;

/** A kind of record that workflows create and change. */
interface Written<Name extends string> {
  name: Name;
  record: z.ZodObject;
  create: z.ZodObject;
  update: z.ZodObject;
  /** Fields by which a record is looked up. */
  matches: Shape;
}

/** Values for the examples of the four kinds. */
interface ExampleValues {
  match: Readonly<Record<string, unknown>>;
  create: Readonly<Record<string, unknown>>;
  change: Readonly<Record<string, unknown>>;
}

/** Returns the fields that a caller of the API can write. */
export function writable(shape: Shape): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(shape).filter(([, field]) => field.meta()?.readOnly !== true));
}

const crmId = lineText().meta({ description: 'Id of the record in an external CRM.' });

/** Only workflows can set `crm_id`: they import records from another CRM. */
const workflowFields = { crm_id: crmId.nullish() };

/** Returns the four kinds of step that work on a kind of record. */
export function recordStepKinds<Name extends string>(
  { name, record, create, update, matches }: Written<Name>,
  values: ExampleValues,
) {
  const output = new Set(Object.keys(record.shape));
  const set = {
    create: fields({ ...writable(create.shape), ...workflowFields }),
    update: atLeastOne(fields({ ...writable(update.shape), ...workflowFields })),
    upsert: fields({ ...writable(update.shape), ...workflowFields }),
  };
  const matching = expressible(atLeastOne(fields(optional(matches))).meta({ description: 'The record to find.' }));
  return [
    stepKind({
      use: `${name}.create`,
      summary: `Creates a new ${name}, also if a similar one exists.`,
      example: { with: { set: values.create } },
      executor: 'record',
      with: strictObject({ set: expressible(set.create) }),
      output,
    }),
    stepKind({
      use: `${name}.update`,
      summary: `Changes the ${name} with this id.`,
      example: { with: { id: `\${{ payload.${name}_id }}`, set: values.change } },
      executor: 'record',
      with: strictObject({ id: expressible(uuid()), set: expressible(set.update) }),
      output,
    }),
    stepKind({
      use: `${name}.upsert`,
      summary: `Changes the ${name} that matches, or creates it.`,
      example: { with: { match: values.match, set: values.create } },
      executor: 'record',
      with: strictObject({ match: matching, set: expressible(set.upsert).optional() }),
      output: new Set([...output, 'action']),
    }),
    stepKind({
      use: `${name}.find`,
      summary: `Looks up the ${name} that matches, and yields null if there is none.`,
      example: { with: { match: values.match } },
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

function atLeastOne<S extends z.ZodObject>(schema: S): S {
  const names = Object.keys(schema.shape).join(', ');
  const checked = jointly(schema, (value) =>
    Object.keys(value).length > 0 ? undefined : `Must have at least one of: ${names}.`,
  );
  return checked.meta({ minProperties: 1 });
}
