import type { Content, Description, Operation, Parameter, Response } from './description.ts';
import { SchemaComparison, type Use } from './schema-changes.ts';

interface Versions<Part> {
  /** Location that a report of a change shows. */
  at: string;
  released: Part;
  present: Part;
}

interface Shared {
  schemas: SchemaComparison;
  /** Responses that several operations refer to, by name. */
  responses: { released: Record<string, Response>; present: Record<string, Response> };
}

/**
 * Returns the changes between two descriptions that break clients, one line each: removals, requests that allow less,
 * and responses that guarantee less. New paths, members, values and errors break nothing.
 */
export function breakingChanges(released: Description, present: Description): string[] {
  const schemas = new SchemaComparison(released, present);
  const responses = { released: released.components.responses ?? {}, present: present.components.responses ?? {} };
  return [...pathChanges({ at: '', released: released.paths, present: present.paths }, { schemas, responses })];
}

function* pathChanges({ released, present }: Versions<Description['paths']>, shared: Shared) {
  for (const [path, operations] of Object.entries(released)) {
    if (present[path] === undefined) yield `${path}: removed`;
    else yield* operationChanges({ at: path, released: operations, present: present[path] }, shared);
  }
}

function* operationChanges(
  { at: path, released, present }: Versions<Record<string, Operation>>,
  { schemas, responses }: Shared,
): Generator<string> {
  for (const [method, operation] of Object.entries(released)) {
    const at = `${method.toUpperCase()} ${path}`;
    const other = present[method];
    if (other === undefined) {
      yield `${at}: removed`;
      continue;
    }
    const versions = { at, released: operation, present: other };
    yield* parameterChanges(versions, schemas);
    yield* bodyChanges(versions, schemas);
    const [before, after] = [operation.responses, other.responses];
    yield* responseChanges(
      { at, released: resolved(before, responses.released), present: resolved(after, responses.present) },
      schemas,
    );
  }
}

const nameOf = (parameter: Parameter) => `${parameter.in} ${parameter.name}`;

function* parameterChanges({ at, released, present }: Versions<Operation>, schemas: SchemaComparison) {
  const before = new Map((released.parameters ?? []).map((each) => [nameOf(each), each]));
  const after = new Map((present.parameters ?? []).map((each) => [nameOf(each), each]));
  for (const [name, { required }] of after)
    if (required && !before.get(name)?.required) yield `${at} ${name}: now required`;
  for (const [name, { schema }] of before) {
    const other = after.get(name);
    if (!other) yield `${at} ${name}: removed`;
    else yield* schemas.compare({ use: 'request', at: `${at} ${name}`, released: schema, present: other.schema });
  }
}

function* bodyChanges({ at, released, present }: Versions<Operation>, schemas: SchemaComparison): Generator<string> {
  const [before, after] = [released.requestBody, present.requestBody];
  if (after?.required && !before?.required) yield `${at} body: now required`;
  if (before && !after) yield `${at} body: removed`;
  if (before && after)
    yield* contentChanges(
      { at: `${at} body`, released: before.content, present: after.content },
      { use: 'request', schemas },
    );
}

/** Returns the responses. References to shared responses are replaced by these responses. */
function resolved(responses: Operation['responses'], shared: Record<string, Response>): Record<string, Response> {
  const entries = Object.entries(responses).map(([status, response]) => {
    const name = response.$ref?.split('/').at(-1);
    return [status, name === undefined ? response : shared[name]!] as const;
  });
  return Object.fromEntries(entries);
}

function* responseChanges({ at, released, present }: Versions<Record<string, Response>>, schemas: SchemaComparison) {
  for (const [status, before] of Object.entries(released)) {
    const after = present[status];
    const where = `${at} ${status}`;
    if (!after) {
      yield `${where}: removed`;
      continue;
    }
    for (const header of Object.keys(before.headers ?? {}))
      if (!after.headers?.[header]) yield `${where} header ${header}: removed`;
    const versions = { at: where, released: before.content ?? {}, present: after.content ?? {} };
    yield* contentChanges(versions, { use: 'response', schemas });
  }
}

interface Comparing {
  use: Use;
  schemas: SchemaComparison;
}

function* contentChanges({ at, released, present }: Versions<Content>, { use, schemas }: Comparing): Generator<string> {
  for (const [type, { schema }] of Object.entries(released)) {
    const other = present[type];
    if (other) yield* schemas.compare({ use, at, released: schema, present: other.schema });
    else yield `${at} ${type}: removed`;
  }
}
