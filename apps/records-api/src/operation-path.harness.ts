import { type OperationSpec, recordsOperations } from '@relata/schemas';
import { type ApiClient, exampleBody, examplePath, freshPath } from '@relata/testing';
import type { TestApi } from './records-api.harness.ts';

/**
 * Returns the path of a request that succeeds. A delete or restore gets a new record, since it can use a record only
 * once. No example has the id of an event, so the path gets the id of an event that was written when the examples were
 * created.
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

/** Creates a pipeline with a single stage, for the operation that orders the stages of a pipeline. */
export async function createSingleStage(client: ApiClient): Promise<{ id: string; pipeline_id: string }> {
  const pipeline = await client('POST', '/v1/records/pipelines', { body: { name: 'Of one stage' } });
  const body = { pipeline_id: pipeline.body.data.id, name: 'First' };
  return (await client('POST', '/v1/records/stages', { body })).body.data;
}

/** Returns the body of a request that succeeds. A merge gets new records, since it removes one of them. */
export async function operationBody(
  { db }: Pick<TestApi, 'db'>,
  { ids, orgId }: TestApi['tenant'],
  spec: OperationSpec,
): Promise<Record<string, unknown>> {
  if (!spec.path.endsWith('/merge')) return exampleBody(spec, ids);
  const { deleteAccount, deleteContact } = recordsOperations;
  const removal = spec.path.includes('/accounts/') ? deleteAccount : deleteContact;
  const freshId = async () => (await freshPath(db.database, orgId, removal, ids)).split('/').at(-1)!;
  return { winner_id: await freshId(), loser_ids: [await freshId()] };
}
