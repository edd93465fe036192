import { type OperationSpec, recordsOperations } from '@relata/schemas';
import { examplePath, freshPath } from '@relata/testing';
import type { TestApi } from './records-api.harness.ts';

/**
 * Returns the path of a request that succeeds. A delete and a restore get a record of their own, since they remove it.
 * Events have no example; creating the others has caused some.
 */
export async function operationPath(
  { db }: Pick<TestApi, 'db'>,
  { client, ids, orgId }: TestApi['tenant'],
  spec: OperationSpec,
): Promise<string> {
  if (spec.method === 'delete') return freshPath(db.database, orgId, spec, ids);
  if (spec.path.startsWith('/v1/trash/')) {
    const { data } = (await client('DELETE', await freshPath(db.database, orgId, recordsOperations.deleteContact, ids)))
      .body;
    return spec.path.replace('{id}', data.id);
  }
  if (spec.id !== 'getEvent') return examplePath(spec, ids);
  const { data } = (await client('GET', '/v1/events?limit=1')).body;
  return `/v1/events/${data[0].id}`;
}
