import { z } from 'zod';
import {
  type Fields,
  type Given,
  given,
  type Patched,
  patched,
  readOnlyFields,
  readOnlyFieldsWithCrmId,
  recordFields,
  type Shape,
  shown,
} from './fields/field.ts';
import {
  expandedMembers,
  type Expansion,
  expansionsOf,
  type MoreExpansions,
  pluralsOf,
  type References,
} from './lists/expansion.ts';
import type { ListSpec, ListSpecOf } from './lists/list-spec.ts';
import type { OperationSpec } from './operation.ts';
import {
  createOperation,
  deleteOperation,
  getOperation,
  historyOperation,
  type Kind,
  listOperation,
  mergePatch,
  pascal,
  updateOperation,
} from './resource.operations.ts';
import { type Comparisons, duplicatesOperation } from './lists/duplicates.ts';
import { batchOperation, updateItem } from './writes/batch.ts';
import { mergeBody, mergeOperation } from './writes/merge.ts';
import { refuseConflicts } from './writes/refuse-conflicts.ts';
import { addableTo, matchKeys, upsertBody, upsertOperation } from './writes/upsert.ts';

/** A kind of record, for code that treats all kinds alike. */
export interface Resource extends Kind {
  fields: Fields;
  /** Name in the types of its events: `account` in `account.created`. */
  eventName: string;
  /** Name of the kind in counts of records: `activities` for custom activities. */
  countName: string;
  /** True if a delete moves a record to the trash, from which it can be restored. */
  goesToTrash: boolean;
  /** True if records store their id in an external CRM, which only workflows and upserts write. */
  hasCrmId: boolean;
  /** For each field that holds ids, the plural of the resource that it refers to. */
  references: Readonly<Record<string, string>>;
  /** Records that `expand` can add, by name. */
  expansions: Readonly<Record<string, Expansion>>;
  /** Contract filters, which its list had before all others; each compares the whole value. */
  filters: Shape;
  /** Field whose value only one record may have, regardless of case; undefined if there is none. */
  unique?: string;
  list: ListSpec;
  /** Fields by which an upsert finds a record; empty if there is no upsert. */
  matches: Shape;
  /** Ways to compare records to find duplicates; undefined if the API does not find duplicates of this kind. */
  comparisons?: Comparisons;
  /** Schema of a record. */
  record: z.ZodObject;
  /** Schema of a record in a response, including the related records that `expand` adds. */
  answered: z.ZodObject;
  /** Bodies of a create, a change and an upsert; undefined if the API does not offer it. */
  create?: z.ZodObject;
  update?: z.ZodObject;
  upsert?: z.ZodObject;
  /** Values that an upsert adds to lists; undefined if there is no upsert. */
  addable?: z.ZodObject;
  /** Body of a create; the records that it refers to need not exist. */
  example: Readonly<Record<string, unknown>>;
  operations: {
    list: OperationSpec;
    create?: OperationSpec;
    get: OperationSpec;
    update?: OperationSpec;
    delete?: OperationSpec;
    /** Changes the order of the stages of a pipeline. */
    order?: OperationSpec;
    duplicates?: OperationSpec;
    merge?: OperationSpec;
    upsert?: OperationSpec;
    batch?: OperationSpec;
    history: OperationSpec;
    summary?: OperationSpec;
  };
}

/** A record, without what `expand` adds. */
export type RecordOf<R extends Resource> = z.output<R['record']>;

interface BaseResourceSpec<
  Name extends string,
  Plural extends string,
  F extends Fields,
  Filters extends Shape,
> extends Kind<Name, Plural> {
  description: string;
  fields: F;
  references?: References<keyof NoInfer<F>>;
  /** Records that `expand` can add although no field has their id. */
  moreExpansions?: MoreExpansions;
  filters: Filters;
  list: ListSpecOf<NoInfer<F>>;
  example: z.input<z.ZodObject<Given<NoInfer<F>>>>;
  examplePatch: z.input<z.ZodObject<Patched<NoInfer<F>>>>;
}

interface Spec<
  Name extends string,
  Plural extends string,
  F extends Fields,
  Filters extends Shape,
  Matches extends Shape,
> extends BaseResourceSpec<Name, Plural, F, Filters> {
  /** Fields by which an upsert finds a record, besides its id and its `crm_id`. */
  matches: Matches;
  exampleMatch: Readonly<Record<string, string>>;
  /** True if other records cannot exist without a record of this kind, and are deleted together with it on request. */
  cascades?: boolean;
  onCreate?: string;
}

interface SettingSpec<
  Name extends string,
  Plural extends string,
  F extends Fields,
  Filters extends Shape,
> extends BaseResourceSpec<Name, Plural, F, Filters> {
  unique?: keyof NoInfer<F> & string;
  /** Description of a create. `onUpdate` is added to the description of a change. */
  onCreate: string;
  onUpdate: string;
  /** Returns the conflicts between the fields of a body. It does not depend on the stored record. */
  conflictsIn?: Parameters<typeof refuseConflicts>[0];
  /** True if a change of a record may change thousands of others. */
  changesOthers?: true;
}

/** Declares records that are settings of an organization. They have their own scope, no batches and no upserts. */
export function settingResource<
  const Name extends string,
  const Plural extends string,
  F extends Fields,
  Filters extends Shape,
>(spec: SettingSpec<Name, Plural, F, Filters>) {
  const { fields, example, examplePatch, unique, onCreate, onUpdate, conflictsIn = () => [] } = spec;
  const parts = partsOf(spec);
  const create = z
    .strictObject({ ...readOnlyFields, ...given(fields) })
    .check(refuseConflicts(conflictsIn))
    .meta({ id: `${pascal(spec.name)}Create`, examples: [example] });
  const update = z
    .strictObject({ ...readOnlyFields, ...patched(fields) })
    .check(refuseConflicts(conflictsIn))
    .meta({ id: `${pascal(spec.name)}Update`, examples: [examplePatch] });
  const scope = 'settings:write' as const;
  const used = unique === undefined ? [] : (['already_exists'] as const);
  const operations = {
    list: listOperation(parts),
    create: createOperation(spec, create, parts.answered, {
      example,
      scope,
      transaction: 'own',
      description: onCreate,
      errors: used,
    }),
    get: getOperation(parts),
    update: updateOperation(spec, update, parts.answered, {
      example: examplePatch,
      scope,
      transaction: spec.changesOthers ? 'bulk' : 'own',
      description: `${mergePatch} ${onUpdate}`,
      errors: [...used, ...(spec.changesOthers ? (['too_many_linked'] as const) : [])],
    }),
    history: historyOperation(spec),
  };
  return { ...parts, ...(unique !== undefined && { unique }), create, update, operations };
}

/** Declares records that callers of the API create, read and change. */
export function resource<
  const Name extends string,
  const Plural extends string,
  F extends Fields,
  Filters extends Shape,
  Matches extends Shape,
>(spec: Spec<Name, Plural, F, Filters, Matches>) {
  const { fields, example, exampleMatch, examplePatch, onCreate, cascades = false } = spec;
  const parts = partsOf(spec);
  const matches = { ...spec.matches, ...matchKeys };
  const upsert = upsertBody(spec, fields, matches);
  const create = z
    .strictObject({ ...readOnlyFieldsWithCrmId, ...given(fields) })
    .meta({ id: `${pascal(spec.name)}Create`, examples: [example] });
  const update = z
    .strictObject({ ...readOnlyFieldsWithCrmId, ...patched(fields) })
    .meta({ id: `${pascal(spec.name)}Update`, examples: [examplePatch] });
  const items = {
    create,
    update: updateItem(update).meta({ id: `${pascal(spec.name)}Change` }),
    upsert,
  };
  const inOrder = { description: 'Sorted by ascending ID by default, which is the order of creation.' };
  const operations = {
    list: listOperation(parts, inOrder),
    create: createOperation(spec, create, parts.answered, {
      example,
      ...(onCreate && { description: onCreate }),
    }),
    get: getOperation(parts),
    update: updateOperation(spec, update, parts.answered, { example: examplePatch }),
    delete: deleteOperation(spec, parts.answered, { cascades, hasActivities: true }),
    upsert: upsertOperation(spec, upsert, parts.answered, { match: exampleMatch, ...valuesIn(fields, example) }),
    batch: batchOperation(spec, { record: parts.answered, items, example }),
    history: historyOperation(spec),
  };
  return { ...parts, goesToTrash: true, matches, addable: addableTo(fields), create, update, upsert, operations };
}

/** Adds to a resource the operations that find duplicates and merge records. */
export function mergeable<
  R extends Kind & { fields: Fields; record: z.ZodObject; operations: object },
  By extends string,
>(declared: R, comparisons: Comparisons<By>) {
  const { fields, record, operations }: Pick<R, 'fields' | 'record' | 'operations'> = declared;
  const duplicates = duplicatesOperation(declared, comparisons);
  const merge = mergeOperation(declared, mergeBody(declared, fields), record);
  return { ...declared, comparisons, operations: { ...operations, duplicates, merge } };
}

/** Divides an example into `create`, `fill` and `add`: an upsert then keeps existing values, and adds to lists. */
function valuesIn(fields: Fields, example: Readonly<Record<string, unknown>>) {
  const values = Object.entries(example);
  const isRequired = (name: string) => fields[name]!.kind === 'required';
  const lists = addableTo(fields).shape;
  const part = (isIn: (name: string) => boolean) => Object.fromEntries(values.filter(([name]) => isIn(name)));
  return {
    create: part(isRequired),
    fill: part((name) => !isRequired(name) && !lists[name]),
    ...(values.some(([name]) => lists[name]) && { add: part((name) => lists[name] !== undefined) }),
  };
}

const { id, crm_id, ...times } = recordFields;

function partsOf<Name extends string, Plural extends string, F extends Fields, Filters extends Shape>(
  spec: Omit<BaseResourceSpec<Name, Plural, F, Filters>, 'examplePatch'>,
) {
  const { name, plural, tag, description, fields, filters, list, example } = spec;
  const expansions = expansionsOf(spec.references ?? {}, spec.moreExpansions);
  const record = z.object({ id, ...shown(fields), crm_id, ...times });
  return {
    name,
    plural,
    tag,
    eventName: name,
    countName: plural,
    goesToTrash: false,
    fields,
    hasCrmId: true,
    references: pluralsOf(spec.references ?? {}),
    expansions,
    filters,
    list: list as ListSpec,
    matches: {},
    example,
    record,
    answered: answeredRecord(record, expansions).meta({ id: pascal(name), description }),
  };
}

/**
 * Returns the schema of a record with the members that `expand` may add, before its times. The type leaves out these
 * members, since only some responses have them.
 */
export function answeredRecord<Rec extends z.ZodObject>(record: Rec, expansions: Resource['expansions']): Rec {
  const { created_at, updated_at, ...others } = record.shape as z.ZodRawShape;
  return z.object({ ...others, ...expandedMembers(expansions), created_at, updated_at } as z.ZodRawShape) as Rec;
}
