import type { z } from 'zod';
import type { Permission } from './console/shared/permissions.ts';
import type { ErrorCode } from './errors/errors.ts';
import type { Scope } from './scopes.ts';

type AnyObject = z.ZodObject;

/** One operation, for any kind of caller: what its route, its checks, its types and its tests are made from. */
export interface BaseSpec {
  /** Unique; also the key under which an app gives the handler. */
  id: string;
  method: 'get' | 'post' | 'patch';
  /** As in OpenAPI: `/v1/records/accounts/{id}`. */
  path: `/${string}`;
  /** Path parameters; whatever is sent parses, and what names no record is answered with 404. */
  params?: AnyObject;
  query?: AnyObject;
  body?: AnyObject;
  /** Whether it answers with one record, whose ETag is its version: GET takes `If-None-Match`, PATCH `If-Match`. */
  hasVersion?: boolean;
  /** Whether it writes records: it takes an `Idempotency-Key`, and may be tried by `dry_run`. */
  isWrite?: boolean;
  /** Whether it may create: it answers 201 where `meta.action` is `created`. */
  mayCreate?: boolean;
  /** Whether its body has `items`, each of which has a result of its own. */
  hasItems?: boolean;
  /** A body that documents how to call it; must be accepted. */
  example?: Record<string, unknown>;
  /** The answer as `text/event-stream`, for clients that prefer it; `headers` are the request headers that it takes. */
  stream?: { headers: AnyObject };
  success: { status: 200 | 201; body?: z.ZodType; contentType?: string };
  /** Errors beyond those that follow from the shape of the operation. */
  errors?: readonly ErrorCode[];
}

/** An operation of the API, which is called with a key and described in the OpenAPI document. */
export interface OperationSpec extends BaseSpec {
  tag: string;
  summary: string;
  description?: string;
  stream?: BaseSpec['stream'] & { description: string };
  success: BaseSpec['success'] & { description: string };
  /** The scope a key needs; `null` where any valid key will do. */
  scope: Scope | null;
}

/** An operation of the console, which is called by someone who is signed in. */
export interface ConsoleSpec extends BaseSpec {
  /** What the caller must be permitted, in the organization of the path where it names one; `null` for who is signed in. */
  permission: Permission | null;
  /** Whether it changes nothing, though it is a POST for the size of what is asked. */
  onlyReads?: true;
  /** Whether calling it is no use of the session, which may end meanwhile: the pages do so by themselves. */
  isNoUse?: true;
  /** Whether nobody need be signed in. */
  isPublic?: true;
  /** Whether its answer shows a credential, this once. No other answer ever does. */
  answersSecret?: true;
}

export function operation<const Spec extends OperationSpec | ConsoleSpec>(spec: Spec): Spec {
  return spec;
}

type OutputOf<Schema, Otherwise> = Schema extends z.ZodType ? z.output<Schema> : Otherwise;

/** What a handler receives, parsed. */
export interface OperationInput<Spec extends BaseSpec> {
  params: OutputOf<Spec['params'], Record<never, never>>;
  query: OutputOf<Spec['query'], Record<never, never>>;
  body: OutputOf<Spec['body'], undefined>;
  /** Versions of the record, one of which it must be; undefined where any will do. */
  ifMatch?: readonly string[] | undefined;
  /** What the sender calls this write; undefined where it may be done again. */
  idempotencyKey?: string | undefined;
}

/** What a handler answers. */
export type OperationOutput<Spec extends BaseSpec> = OutputOf<Spec['success']['body'], void>;

const always: readonly ErrorCode[] = ['rate_limited', 'internal_error', 'service_unavailable'];
const withBody: readonly ErrorCode[] = ['invalid_json', 'payload_too_large', 'unsupported_media_type'];

/** Every error that an operation of the API can answer with; a conformance test holds it to this list. */
export function errorsOf(spec: OperationSpec): ErrorCode[] {
  return [...refusals(spec, spec.scope === null ? [] : ['forbidden']), 'unauthorized', ...failures(spec)];
}

/** The same of an operation of the console. */
export function consoleErrorsOf(spec: ConsoleSpec): ErrorCode[] {
  const crossSite: readonly ErrorCode[] = spec.method === 'get' ? [] : ['cross_site'];
  const denials: readonly ErrorCode[] = spec.permission === null ? crossSite : ['forbidden', ...crossSite];
  const callers: readonly ErrorCode[] = spec.isPublic ? [] : ['unauthorized'];
  return [...refusals(spec, denials), ...callers, 'misdirected_request', ...failures(spec)];
}

/** What is wrong with a request, or with what it names. */
function refusals(spec: BaseSpec, denials: readonly ErrorCode[]): ErrorCode[] {
  return [
    'validation_error',
    ...(spec.body ? withBody : []),
    ...denials,
    ...(spec.params ? (['not_found'] as const) : []),
    ...(spec.hasVersion && spec.method === 'patch' ? (['precondition_failed'] as const) : []),
    ...(spec.isWrite ? (['idempotency_in_progress', 'idempotency_key_reused'] as const) : []),
  ];
}

const failures = ({ errors = [] }: BaseSpec): ErrorCode[] => [...always, ...errors];
