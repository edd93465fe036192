import { lineText, uuid } from '@relata/schemas';
import type { z } from 'zod';
import { expressible, expressibleShape } from '../schemas/expressible.schema.ts';
import type { StepKind } from './step-kind.ts';
import { jointly, strictObject } from '../schemas/strict-object.schema.ts';

type Shape = Readonly<Record<string, z.ZodType>>;

/** Records that workflows create and change. */
interface Written<Name extends string> {
  name: Name;
  record: z.ZodObject;
  create: z.ZodObject;
  update: z.ZodObject;
  /** What a record is looked up by. */
  matches: Shape;
}

/** The fields that a caller of the API may write. */
export function writable(shape: Shape): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(shape).filter(([, field]) => field.meta()?.readOnly !== true));
}

const crmId = lineText().meta({ description: 'Id of the record in an external CRM.' });

/** Only workflows may set it: they are how records from another CRM come in. */
const workflowFields = { crm_id: crmId.nullish() };

/** The four kinds of step that work on a kind of record. */
export function recordStepKinds<Name extends string>({ name, record, create, update, matches }: Written<Name>) {
  const output = new Set(Object.keys(record.shape));
  const set = {
    create: fields({ ...writable(create.shape), ...workflowFields }),
    update: atLeastOne(fields({ ...writable(update.shape), ...workflowFields })),
    upsert: fields({ ...writable(update.shape), ...workflowFields }),
  };
  const matching = expressible(atLeastOne(fields(optional(matches))).meta({ description: 'Which record is meant.' }));
  return [
    kind(`${name}.create`, output, { set: expressible(set.create) }),
    kind(`${name}.update`, output, { id: expressible(uuid()), set: expressible(set.update) }),
    kind(`${name}.upsert`, new Set([...output, 'action']), {
      match: matching,
      set: expressible(set.upsert).optional(),
    }),
    kind(`${name}.find`, output, { match: matching }),
  ] as const;
}

function kind<Use extends string>(
  use: Use,
  output: ReadonlySet<string>,
  shape: Record<string, z.ZodType>,
): StepKind<Use, 'record'> {
  return { use, executor: 'record', with: strictObject(shape), output };
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
