import { z } from 'zod';
import { type AppError, scopeMissing, validationError } from '../errors/app-error.ts';
import { type ErrorBody, errorBody } from '../errors/error-body.ts';
import { type ErrorCode, errors } from '../errors/errors.ts';
import { declaredErrors, type OperationSpec } from '../operation.ts';
import { readPart } from '../errors/validation.ts';

export interface ErrorExample {
  /** Key among the examples of the document. */
  name: string;
  code: ErrorCode;
  status: number;
  body: ErrorBody;
}

/** Returns an example of each error that an operation can return, with the message that the service sends. */
export function collectErrorExamples(spec: OperationSpec): ErrorExample[] {
  const examples = declaredErrors(spec).map((code) => ({
    name: nameOf(code, spec),
    code,
    status: errors[code].status,
    body: bodyOf(code, spec),
  }));
  return spec.body ? [...examples, timeout] : examples;
}

/** Returns a name for the example of an error. Some messages depend on the operation, so they have several examples. */
function nameOf(code: ErrorCode, { id, scope, body, query }: OperationSpec): string {
  if (code === 'validation_error') return `${code}_${body ? id : query ? kindOfQuery(query) : 'get'}`;
  return code === 'forbidden' ? `${code}_${scope!.replace(':', '_')}` : code;
}

function bodyOf(code: ErrorCode, spec: OperationSpec): ErrorBody {
  if (code === 'validation_error') return errorBody(brokenRules(spec), requestId);
  return code === 'forbidden' ? errorBody(scopeMissing(spec.scope!), requestId) : errorExample(code);
}

const requestId = '019a1b2c-0000-7000-8000-000000000000';

/** Returns an example of an error whose message does not depend on the operation. */
export function errorExample(code: ErrorCode): ErrorBody {
  const { example: message, ...spec } = errors[code];
  return errorBody({ code, message, data: 'data' in spec ? spec.data : undefined }, requestId);
}

/** Error for a body that arrives too slowly. The service answers such a request like malformed HTTP. */
const timeout: ErrorExample = {
  name: 'request_timeout',
  code: 'validation_error',
  status: 408,
  body: errorBody({ code: 'validation_error', message: 'The request did not arrive in time.' }, requestId),
};

/** Returns the kind of a query: lists of records share one kind of paging, lists of events another. */
const kindOfQuery = ({ shape }: z.ZodObject) => ('limit' in shape ? ('after' in shape ? 'events' : 'list') : 'write');

/** A likely mistake for each kind of query. */
const mistakes = { list: { limit: '1000' }, events: { limit: '1001' }, write: { dry_run: 'yes' } };

/** Returns the error that the schemas of the operation report for a likely mistake. */
function brokenRules({ body, query, example = {} }: OperationSpec): AppError {
  const { details } = body
    ? readPart('body', body, body.def.catchall instanceof z.ZodNever ? withCamelCase(example) : {})
    : readPart('query', query ?? z.strictObject({}), query ? mistakes[kindOfQuery(query)] : { expand: 'all' });
  return validationError(details);
}

/**
 * Returns the example body with one misspelt name: the first name with an underscore, written in camel case, or else
 * the first name with an `s` appended.
 */
function withCamelCase(example: Record<string, unknown>): Record<string, unknown> {
  const names = Object.keys(example);
  const meant = names.find((name) => name.includes('_')) ?? names[0];
  const misspelt = (name: string) =>
    name.includes('_') ? name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()) : `${name}s`;
  return Object.fromEntries(
    Object.entries(example).map(([name, value]) => [name === meant ? misspelt(name) : name, value]),
  );
}
