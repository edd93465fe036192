import { createApiKey, createOrganization } from '@relata/auth';
import { type ApiClient, apiClient } from '@relata/testing';
import type { TestApi } from '../records-api.harness.ts';

/** An organization without records, and a client whose key has the scopes for settings and records. */
export interface EmptyOrganization {
  orgId: string;
  key: string;
  client: ApiClient;
}

export async function createEmptyOrganization(api: TestApi): Promise<EmptyOrganization> {
  const { id: orgId } = await createOrganization(api.db.database, 'Empty');
  const scopes = ['records:read', 'records:write', 'settings:write', 'events:read'] as const;
  const { key } = await createApiKey(api.db.database, orgId, { name: 'settings', kind: 'secret', scopes });
  return { orgId, key, client: apiClient(api.url, key) };
}

/** Returns the types and changed fields of the events of an organization, the oldest first. */
export async function eventsOf(client: ApiClient): Promise<string[]> {
  const { body } = await client('GET', '/v1/events?after=start&limit=1000');
  return body.data.map(({ type, changed }: { type: string; changed?: string[] }) =>
    [type, ...(changed ?? [])].join(' '),
  );
}

interface Made {
  id: string;
  [field: string]: unknown;
}

/** Calls of the API with which tests create and change pipelines. */
export interface SalesSite {
  pipeline(name: string): Promise<Made>;
  stage(pipeline: Made, name: string): Promise<Made>;
  /** Creates an opportunity. All opportunities belong to the same account. */
  opportunity(fields: object): Promise<Made>;
  remove(plural: 'pipelines' | 'stages', id: string, query?: string): ReturnType<ApiClient>;
  order(pipelineId: string, stageIds: readonly string[], query?: string): ReturnType<ApiClient>;
}

export function salesSite(client: ApiClient): SalesSite {
  let account: Promise<Made> | undefined;
  const make = async (plural: string, body: object): Promise<Made> => {
    const made = await client('POST', `/v1/records/${plural}`, { body });
    if (made.status !== 201) throw new Error(made.text);
    return made.body.data;
  };
  return {
    pipeline: (name) => make('pipelines', { name }),
    stage: ({ id }, name) => make('stages', { pipeline_id: id, name }),
    opportunity: async (fields) => {
      account ??= make('accounts', { account_name: 'Robotics' });
      return make('opportunities', { opportunity_name: 'Deal', account_id: (await account).id, ...fields });
    },
    remove: (plural, id, query = '') => client('DELETE', `/v1/records/${plural}/${id}${query}`),
    order: (id, stageIds, query = '') =>
      client('POST', `/v1/records/pipelines/${id}/stage-order${query}`, { body: { stage_ids: stageIds } }),
  };
}
