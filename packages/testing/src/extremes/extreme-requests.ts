import { randomUUID } from 'node:crypto';
import type { OperationSpec } from '@relata/schemas';
import type { ApiResponse, ApiRequest } from '../api-client.ts';
import { withParameter } from '../example-records.ts';
import { type Extreme, extremesOf } from './extreme-values.ts';
import { describedOperation, type JsonSchema, type Parameter } from './json-schema.ts';
import { placesIn, type References, withValue } from './schema-places.ts';

/** A request with one extreme value. */
export interface ExtremeCase extends Pick<Extreme, 'isAllowed'> {
  /** Location and name of the value, for failure messages. */
  name: string;
  /** Field that an error response must name. */
  field: string;
  /** Accepted error codes that do not depend on the value's form, such as `not_found` for an id that does not exist. */
  stateErrors?: readonly string[];
  request: ApiRequest & { path?: string };
  /** For a batch, the item that contains the value. Items of several cases are sent in one request. */
  item?: unknown;
}

export interface ExtremeTarget {
  path: string;
  /** Returns valid bodies. Each call returns new bodies. */
  bodies(): Record<string, unknown>[];
  references: References;
}

/** Returns a request for each extreme value of each field in the description of an operation. */
export function* extremeCases(
  spec: OperationSpec,
  { path, bodies, references }: ExtremeTarget,
): Generator<ExtremeCase> {
  const { parameters = [], requestBody } = describedOperation(spec.path, spec.method);
  const withBody = () => (spec.body ? { body: bodies()[0] } : {});
  for (const parameter of parameters)
    for (const { request, ...extreme } of parameterCases(parameter, path))
      yield { ...extreme, request: { ...withBody(), ...request } };
  if (!requestBody) return;
  const { schema } = requestBody.content['application/json'];
  for (const [index, body] of bodies().entries())
    for (const { path: at, ...place } of placesIn(schema, body, references)) {
      const isInItem = spec.hasItems && at.length > 1;
      // Tests the number of items only with the first variant: the maximum is the same for all, and such a request
      // makes hundreds of writes.
      if (spec.hasItems && !isInItem && index > 0) continue;
      for (const { name, value, isAllowed } of extremesOf(place.schema, place.element)) {
        const field = at.slice(isInItem ? 2 : 0).join('.');
        const changed = withValue(bodies()[index], at, value) as { items: unknown[] };
        yield {
          name: `${index > 0 ? `${index}: ` : ''}${at.join('.')}: ${name}`,
          field,
          stateErrors: stateErrorsOf(spec, field, isInItem ?? false),
          isAllowed,
          request: { body: changed },
          ...(isInItem && { item: changed.items.at(-1) }),
        };
      }
    }
}

function* parameterCases({ in: part, name, schema }: Parameter, path: string): Generator<ExtremeCase> {
  if (part === 'path') return yield* pathCases(name, path);
  for (const { value, ...extreme } of extremesOf(schema, elementOf(schema))) {
    // Skips null, which a parameter cannot be, and strings of emoji, which would make the URL too long.
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (value === null || text.includes('🦾')) continue;
    // `activities` is valid only together with another parameter.
    const stateErrors = name === 'activities' ? ['validation_error'] : [];
    const named = { ...extreme, name: `${part} ${name}: ${extreme.name}`, field: name, stateErrors };
    if (part === 'query') yield { ...named, request: { path: withParameter(path, name, textsOf(value, text)) } };
    // An idempotency key must be new in each request, so short values are not tested.
    else if (text.length > 100)
      yield { ...named, request: { headers: { [name]: randomUUID().padEnd(text.length, 'x') } } };
  }
}

/** Returns a valid element of a parameter that is a list. */
function elementOf({ items }: JsonSchema): unknown {
  return items?.enum?.[0] ?? (items?.format === 'uuid' ? randomUUID() : 'x');
}

/** Returns the values of a query parameter. For a list, the parameter is repeated for each element. */
const textsOf = (value: unknown, text: string) => (Array.isArray(value) ? value.map(String) : [text]);

function* pathCases(name: string, path: string): Generator<ExtremeCase> {
  const id = /[0-9a-f-]{36}/.exec(path)![0];
  const at = (value: string) => ({ path: path.replace(id, value) });
  yield { name: `path ${name}: upper case`, field: name, isAllowed: true, request: at(id.toUpperCase()) };
  yield {
    name: `path ${name}: long`,
    field: name,
    isAllowed: false,
    stateErrors: ['not_found'],
    request: at('x'.repeat(4_000)),
  };
}

/**
 * Returns the error codes that a valid value of a field may cause. The fields `match` and `mode` and the `id` of an
 * item select a record, which may not exist. Settings depend on each other, and an earlier request may have used a
 * value that must be unique.
 */
function stateErrorsOf(spec: OperationSpec, field: string, isInItem: boolean): readonly string[] {
  if (/^(is_(won|lost|closed)|stage_ids)$/.test(field)) return ['validation_error'];
  if (spec.scope === 'settings:write') return ['already_exists', 'conflict'];
  if (field.startsWith('match.')) return ['not_found', 'ambiguous_match'];
  return field === 'mode' || (isInItem && field === 'id') ? ['not_found'] : [];
}

/**
 * Returns true if an error says that a filter or sort order has no index. Operators create some indexes only on demand.
 */
function lacksIndex({ details = [] }: Partial<ApiResponse['error']> = {}): boolean {
  const isMissing = ({ code }: (typeof details)[number]) =>
    code === 'unsupported_filter' || code === 'unsupported_sort';
  return details.length > 0 && details.every(isMissing);
}

/**
 * Returns a description of the fault in a response to an extreme value. Returns undefined if the response is correct.
 */
export function faultIn(
  { name, field, isAllowed, stateErrors = [] }: Omit<ExtremeCase, 'request'>,
  { status, error, text }: Pick<ApiResponse, 'status' | 'text'> & { error?: Partial<ApiResponse['error']> },
): string | undefined {
  const shown = `${name}: ${status} ${text.slice(0, 300)}`;
  if (status >= 500) return shown;
  if (isAllowed === undefined || (status >= 400 && stateErrors.includes(error?.error ?? ''))) return undefined;
  if (isAllowed) return status < 300 || lacksIndex(error) ? undefined : shown;
  if (status !== 400) return shown;
  const fields = (error?.details ?? []).map((detail) => detail.field);
  return fields.includes(field) ? undefined : shown;
}
