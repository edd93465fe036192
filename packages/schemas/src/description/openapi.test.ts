import { expect, test } from 'vitest';
import { recordsOperations } from '../operations.ts';
import { openApiDocument } from './openapi.ts';

interface Described {
  $ref?: string;
  headers?: Record<string, unknown>;
}

const { paths = {}, components } = openApiDocument();

/** Returns the names of the headers of a response, by status. */
function headersOf(path: string, method: string): Record<string, string[]> {
  const { responses } = (paths[path] as Record<string, { responses: Record<string, Described> }>)[method]!;
  const shared = components!.responses as Record<string, Described>;
  const found = Object.entries(responses).map(([status, response]) => {
    const { headers = {} } = response.$ref ? shared[response.$ref.split('/').at(-1)!]! : response;
    return [status, Object.keys(headers)];
  });
  return Object.fromEntries(found) as Record<string, string[]>;
}

const operations = Object.values(recordsOperations);
const writes = operations.filter((spec) => 'isWrite' in spec);

test.each(writes)('$id: a repeated write has Idempotent-Replayed, and one that is in progress Retry-After', (spec) => {
  const headers = headersOf(spec.path, spec.method);
  for (const status of [200, 201].filter((each) => headers[each]))
    expect(headers[status]).toContain('Idempotent-Replayed');
  for (const status of [409, 429, 503]) expect(headers[status]).toContain('Retry-After');
});

test('a read has no Idempotent-Replayed, and its errors have no Retry-After', () => {
  const headers = headersOf('/v1/records/accounts', 'get');
  expect(headers[200]).not.toContain('Idempotent-Replayed');
  expect(headers[400]).not.toContain('Retry-After');
});
