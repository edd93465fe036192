import type { z } from 'zod';
import type { Permission } from './console/shared/permissions.ts';
import type { ErrorDetail } from './errors/error-body.ts';
import type { ErrorCode } from './errors/errors.ts';
import type { Scope } from './scopes.ts';

type AnyObject = z.ZodObject;

/** An operation, for any kind of caller. Its route, checks, types and tests are derived from this. */
export interface BaseSpec {
  /** Unique name; the key under which an app registers the handler. */
  id: string;
  method: 'get' | 'post' | 'patch' | 'delete';
  /** Path in the notation of OpenAPI: `/v1/records/accounts/{id}`. */
  path: `/${string}`;
  /** Path parameters. Any text is accepted; if it names no record, the response is 404. */
  params?: AnyObject;
  query?: AnyObject;
  /**
   * Returns problems of the raw query beyond those of its single parameters; they replace the problems of the same
   * parameter.
   */
  queryProblems?: (query: Readonly<Record<string, unknown>>) => ErrorDetail[];
  body?: AnyObject;
  /**
   * Body schema for the description, if it is more detailed than `body`: it has the types of items that are checked one
   * by one.
   */
  describedBody?: z.ZodType;
  /** True if the response is one record, whose ETag is its version. GET takes `If-None-Match`, PATCH `If-Match`. */
  hasVersion?: boolean;
  /** True if the operation takes `If-Match` although it is not a PATCH with `hasVersion`. */
  takesIfMatch?: true;
  /** True if the operation changes nothing. It is a POST only because its input is large. */
  onlyReads?: true;
  /** True if the operation writes records: it takes an `Idempotency-Key` and `dry_run`. */
  isWrite?: boolean;
  /**
   * Set if its write must not share a transaction with other writes: `own` if it waits for locks, `bulk` if it may also
   * write hundreds of records.
   */
  transaction?: 'own' | 'bulk';
  /** True if the operation may create a record. It returns 201 if `meta.action` is `created`. */
  mayCreate?: boolean;
  /** True if its body has `items`, each with its own result. */
  hasItems?: boolean;
  /** An example of the body, which the operation must accept. */
  example?: Record<string, unknown>;
  /** Query of a successful request, if the operation needs a query. */
  exampleQuery?: string;
  /** Response as `text/event-stream`, for clients that prefer it; `headers` are its request headers. */
  stream?: { headers: AnyObject };
  success: { status: 200 | 201; body?: z.ZodType; contentType?: string };
  /** Response body if the parameter `fields` leaves out members. */
  partialBody?: z.ZodType;
  /** Errors beyond those that follow from the other fields. */
  errors?: readonly ErrorCode[];
}

/** An operation of the API, called with a key and described in the OpenAPI document. */
export interface OperationSpec extends BaseSpec {
  tag: string;
  summary: string;
  description?: string;
  stream?: BaseSpec['stream'] & { description: string };
  success: BaseSpec['success'] & { description: string };
  /** Scope that the key needs; `null` if any valid key is enough. */
  scope: Scope | null;
  /** Returns the scope that the key needs, if it depends on the query; undefined for the default, `scope`. */
  scopeOf?: (query: Readonly<Record<string, unknown>>) => Scope | undefined;
  /** Scope that the key needs for each `operation` of the body; undefined if the scope does not depend on it. */
  scopes?: Readonly<Record<string, Scope>>;
}

/** An operation of the console, called by its pages; the caller is signed in unless `isPublic` is set. */
export interface ConsoleSpec extends BaseSpec {
  /**
   * Permission that the caller needs, in the organization of the path if there is one; `null` if being signed in is
   * enough.
   */
  permission: Permission | null;
  /** True if a call does not extend the session: open pages call it in the background. */
  isNoUse?: true;
  /** True if callers need not be signed in. */
  isPublic?: true;
  /** True if its response contains a credential, once. No other operation returns credentials. */
  answersSecret?: true;
}

export function operation<const Spec extends OperationSpec | ConsoleSpec>(spec: Spec): Spec {
  return spec;
}

type OutputOf<Schema, Otherwise> = Schema extends z.ZodType ? z.output<Schema> : Otherwise;

/** Parsed input of a handler. */
export interface OperationInput<Spec extends BaseSpec> {
  params: OutputOf<Spec['params'], Record<never, never>>;
  query: OutputOf<Spec['query'], Record<never, never>>;
  body: OutputOf<Spec['body'], undefined>;
  /** Acceptable versions of the record; undefined if any version is. */
  ifMatch?: readonly string[] | undefined;
  /** Idempotency key of this write; undefined if a repeat may write again. */
  idempotencyKey?: string | undefined;
}

export type OperationOutput<Spec extends BaseSpec> = OutputOf<Spec['success']['body'], void>;

const always: readonly ErrorCode[] = ['rate_limited', 'internal_error', 'service_unavailable'];
const withBody: readonly ErrorCode[] = ['invalid_json', 'payload_too_large', 'unsupported_media_type'];

/** Returns true if the operation takes `If-Match`. */
export const takesIfMatch = ({ method, hasVersion, takesIfMatch: takes }: BaseSpec) =>
  takes === true || (method === 'patch' && hasVersion === true);

/**
 * Returns every error that an operation of the API can return. A conformance test checks responses against this list.
 */
export function declaredErrors(spec: OperationSpec): ErrorCode[] {
  return [...refusals(spec, spec.scope === null ? [] : ['forbidden']), 'unauthorized', ...failures(spec)];
}

export function declaredConsoleErrors(spec: ConsoleSpec): ErrorCode[] {
  const crossSite: readonly ErrorCode[] = spec.method === 'get' ? [] : ['cross_site'];
  const denials: readonly ErrorCode[] = spec.permission === null ? crossSite : ['forbidden', ...crossSite];
  const callers: readonly ErrorCode[] = spec.isPublic ? [] : ['unauthorized'];
  return [...refusals(spec, denials), ...callers, 'misdirected_request', ...failures(spec)];
}

/** Returns the errors that the request can cause, as opposed to failures of the service. */
function refusals(spec: BaseSpec, denials: readonly ErrorCode[]): ErrorCode[] {
  return [
    'validation_error',
    ...(spec.body ? withBody : []),
    ...denials,
    ...(spec.params ? (['not_found'] as const) : []),
    ...(takesIfMatch(spec) ? (['precondition_failed'] as const) : []),
    ...(spec.isWrite ? (['idempotency_in_progress', 'idempotency_key_reused', 'conflict'] as const) : []),
  ];
}

const failures = ({ errors = [] }: BaseSpec): ErrorCode[] => [...always, ...errors];
