import { z } from 'zod';
import { type Fields, optionals, type Shape } from './fields/field.ts';
import { expandParameter, type Expansion, fieldsParameter } from './lists/expansion.ts';
import { dataSchema, listSchema, listQuery } from './lists/list.ts';
import { filterSchemas } from './lists/filter-schema.ts';
import { listProblems, withRepeated } from './lists/list-problems.ts';
import type { ListSpec } from './lists/list-spec.ts';
import type { ErrorCode } from './errors/errors.ts';
import { eventsPage, historyQuery } from './events/event.schema.ts';
import { operation, type OperationSpec } from './operation.ts';
import { pathId } from './fields/path-id.ts';
import { uuid } from './fields/text.ts';
import type { Scope } from './scopes.ts';
import { cascadeQuery, deletedSchema, removedSchema } from './writes/delete.schema.ts';
import { activitiesParameter, erasedSchema, eraseParameter, eraseProblems, eraseScope } from './writes/erase.schema.ts';
import { writeQuery, writtenSchema } from './writes/write.schema.ts';

/** Names of a kind of record. */
export interface Kind<Name extends string = string, Plural extends string = string> {
  /** Singular: `sales_order`. */
  name: Name;
  /** Plural, also the name of the table and part of the path: `sales_orders`. */
  plural: Plural;
  tag: { name: string; description: string };
}

type Pascal<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${Capitalize<First>}${Pascal<Rest>}`
  : Capitalize<Name>;

/** Converts `sales_order` to `SalesOrder`. */
export function pascal<Name extends string>(name: Name): Pascal<Name> {
  return name.replaceAll(/(?:^|_)(\w)/g, (_match, first: string) => first.toUpperCase()) as Pascal<Name>;
}

export const words = (name: string) => name.replaceAll('_', ' ');

/** Puts "a" or "an" before a name. "User" takes "a", since it is pronounced with a consonant. */
export const withArticle = (name: string) => `${/^[aeio]/.test(name) ? 'an' : 'a'} ${words(name)}`;

export const resourcePath = (plural: string) => `/v1/records/${plural}` as const;
const pathOfOne = (plural: string) => `/v1/records/${plural}/{id}` as const;

/** Parts of a declaration that its list is derived from. */
export interface Listed<F extends Shape> {
  fields: Fields;
  /** Contract filters, which lists had before all others; each compares the whole value. */
  filters: F;
  list: ListSpec;
}

/** Parts of a declaration that the responses with its records are derived from. */
export interface Answered<Rec extends z.ZodObject> {
  record: Rec;
  answered: Rec;
  expansions: Readonly<Record<string, Expansion>>;
}

export function listOperation<K extends Kind, F extends Shape, Rec extends z.ZodObject>(
  { plural, tag, fields, filters, list, record, answered, expansions }: K & Listed<F> & Answered<Rec>,
  more: { description?: string } = {},
) {
  return operation({
    id: `list${pascal<K['plural']>(plural)}`,
    method: 'get',
    path: resourcePath(plural),
    tag: tag.name,
    summary: `List ${words(plural)}`,
    ...more,
    scope: 'records:read',
    query: listQuery(optionals(filters), list, {
      ...expandParameter(Object.keys(expansions)),
      ...fieldsParameter(Object.keys(record.shape)),
      ...filterSchemas(list, fields),
    }),
    queryProblems: listProblems(list, Object.keys(filters)),
    success: { status: 200, description: `A page of ${words(plural)}.`, body: listSchema(answered) },
    partialBody: listSchema(answered.partial().required({ id: true })),
  });
}

/** Parts of an operation that creates or changes a record. */
interface WriteOptions extends Pick<OperationSpec, 'description' | 'transaction'> {
  example: Record<string, unknown>;
  errors?: readonly ErrorCode[];
  /** `records:write` unless given. */
  scope?: Scope;
}

export function createOperation<K extends Kind, Body extends z.ZodObject, Rec extends z.ZodObject>(
  { name, plural, tag }: K,
  body: Body,
  record: Rec,
  { scope = 'records:write', ...more }: WriteOptions,
) {
  return operation({
    id: `create${pascal<K['name']>(name)}`,
    method: 'post',
    path: resourcePath(plural),
    tag: tag.name,
    summary: `Create ${withArticle(name)}`,
    hasVersion: true,
    isWrite: true,
    ...more,
    scope,
    query: writeQuery,
    body,
    success: { status: 201, description: `The ${words(name)} that was created.`, body: writtenSchema(record) },
  });
}

export function getOperation<K extends Kind, Rec extends z.ZodObject>({
  name,
  plural,
  tag,
  answered,
  expansions,
}: K & Answered<Rec>) {
  const names = Object.keys(expansions);
  return operation({
    id: `get${pascal<K['name']>(name)}`,
    method: 'get',
    path: pathOfOne(plural),
    tag: tag.name,
    summary: `Read ${withArticle(name)}`,
    hasVersion: true,
    scope: 'records:read',
    params: pathId,
    ...(names.length > 0 && {
      description: 'With `expand`, the response has no ETag, and `If-None-Match` is ignored.',
      query: z.strictObject(expandParameter(names)),
      queryProblems: (query: Readonly<Record<string, unknown>>) => withRepeated(query),
    }),
    success: { status: 200, description: `The ${words(name)}.`, body: dataSchema(answered) },
  });
}

export const mergePatch =
  'A JSON merge patch: omitted fields stay as they are, `null` clears an optional field, and arrays are ' +
  'replaced as a whole.';

export function updateOperation<K extends Kind, Body extends z.ZodObject, Rec extends z.ZodObject>(
  { name, plural, tag }: K,
  body: Body,
  record: Rec,
  { scope = 'records:write', ...more }: WriteOptions,
) {
  return operation({
    id: `update${pascal<K['name']>(name)}`,
    method: 'patch',
    path: pathOfOne(plural),
    tag: tag.name,
    summary: `Change ${withArticle(name)}`,
    hasVersion: true,
    isWrite: true,
    description: mergePatch,
    scope,
    params: pathId,
    query: writeQuery,
    body,
    ...more,
    success: { status: 200, description: `The ${words(name)} after the change.`, body: writtenSchema(record) },
  });
}

export function deleteOperation<K extends Kind, Rec extends z.ZodObject>(
  { name, plural, tag }: K,
  record: Rec,
  { cascades = false, hasActivities = false }: { cascades?: boolean; hasActivities?: boolean } = {},
) {
  return operation({
    id: `delete${pascal<K['name']>(name)}`,
    method: 'delete',
    path: pathOfOne(plural),
    tag: tag.name,
    summary: `Delete ${withArticle(name)}`,
    description:
      'Moves the record to the trash, from which it can be restored. Links of other records to it are cleared.' +
      (cascades ? ' Records that cannot exist without it are deleted with `cascade=true`.' : '') +
      ' With `erase=true`, it erases the record, the content of its events and the records merged into it.',
    isWrite: true,
    takesIfMatch: true,
    scope: 'records:delete',
    scopeOf: eraseScope,
    params: pathId,
    query: (cascades ? cascadeQuery : writeQuery).extend({
      ...eraseParameter,
      ...(hasActivities && activitiesParameter),
    }),
    ...(hasActivities && { queryProblems: eraseProblems }),
    success: {
      status: 200,
      description: `The ${words(name)} before its delete, or only its id if it was erased.`,
      body: z.union([deletedSchema(record), erasedSchema]),
    },
    errors: cascades ? ['in_use', 'too_many_linked'] : ['too_many_linked'],
  });
}

/** Declares the delete of a stage or pipeline: it does not go to the trash, and its opportunities can be moved. */
export function removeOperation<K extends Kind, Rec extends z.ZodObject>(
  { name, plural, tag }: K,
  record: Rec,
  { description, moveTo }: { description: string; moveTo: string },
) {
  return operation({
    id: `delete${pascal<K['name']>(name)}`,
    method: 'delete',
    path: pathOfOne(plural),
    tag: tag.name,
    summary: `Delete ${withArticle(name)}`,
    description,
    isWrite: true,
    takesIfMatch: true,
    transaction: 'bulk',
    scope: 'settings:write',
    params: pathId,
    query: writeQuery.extend({ move_to: uuid().optional().meta({ description: moveTo }) }),
    success: { status: 200, description: `The ${words(name)} as it was.`, body: removedSchema(record) },
    errors: ['in_use', 'too_many_linked'],
  });
}

export function historyOperation<K extends Kind>(
  { name, plural, tag }: K,
  path: `/${string}` = `${pathOfOne(plural)}/history`,
) {
  return operation({
    id: `list${pascal<K['name']>(name)}History`,
    method: 'get',
    path,
    tag: tag.name,
    summary: `Read the history of ${withArticle(name)}`,
    description: 'Events of this record, the oldest first.',
    scope: 'events:read',
    params: pathId,
    query: historyQuery,
    success: { status: 200, description: `History of the ${words(name)}.`, body: eventsPage },
    errors: ['cursor_expired'],
  });
}
