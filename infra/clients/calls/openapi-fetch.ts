import createClient from 'openapi-fetch';
import type { components, operations, paths } from '../.generated/openapi-typescript.ts';
import type { Outcome, TestServices } from './test-services.ts';

/**
 * Returns calls of all operations with a client of openapi-typescript and openapi-fetch. A missing operation does not
 * compile.
 */
export function callsOf({ apiUrl, chatUrl, key, ids }: TestServices) {
  const headers = { 'X-Api-Key': key };
  const api = createClient<paths>({ baseUrl: apiUrl, headers });
  const chat = createClient<paths>({ baseUrl: chatUrl, headers });
  const one = (id: string) => ({ params: { path: { id } } });
  const tried = (id: string) => ({ params: { path: { id }, query: { dry_run: 'true' as const } } });
  const page = { params: { query: { limit: 5, offset: 0 } } };
  return {
    listAccounts: () => api.GET('/v1/records/accounts', { params: { query: { domain: 'robotics.example' } } }),
    createAccount: () => api.POST('/v1/records/accounts', { body: { account_name: 'A', sales_status: 'lead' } }),
    getAccount: () => api.GET('/v1/records/accounts/{id}', one(ids.account)),
    updateAccount: () => api.PATCH('/v1/records/accounts/{id}', { ...one(ids.account), body: { city: null } }),
    upsertAccount: () =>
      api.POST('/v1/records/accounts/upsert', {
        params: { header: { 'Idempotency-Key': 'openapi-fetch' } },
        body: { match: { crm_id: 'fetch-1' }, create: { account_name: 'A' }, fill: { city: 'Bern' } },
      }),
    batchAccounts: () =>
      api.POST('/v1/records/accounts/batch', {
        body: { operation: 'create', items: [{ account_name: 'A', tags: ['x'] }, { account_name: 'B' }] },
      }),
    listAccountHistory: () => api.GET('/v1/records/accounts/{id}/history', one(ids.account)),
    listContacts: () =>
      api.GET('/v1/records/contacts', {
        params: { query: { email: 'ada@robotics.example', expand: 'account,owner', fields: 'last_name' } },
      }),
    createContact: () => api.POST('/v1/records/contacts', { body: { first_name: 'A', last_name: 'B' } }),
    getContact: () => api.GET('/v1/records/contacts/{id}', one(ids.contact)),
    updateContact: () => api.PATCH('/v1/records/contacts/{id}', { ...one(ids.contact), body: { title: 'Chief' } }),
    upsertContact: () =>
      api.POST('/v1/records/contacts/upsert', {
        body: { match: { email: 'f@a.example' }, set: { first_name: 'A', last_name: 'B' }, mode: 'create_only' },
      }),
    batchContacts: () =>
      api.POST('/v1/records/contacts/batch', {
        params: { query: { dry_run: 'true' } },
        body: { operation: 'update', atomic: true, items: [{ id: ids.contact, set: { phone: null } }] },
      }),
    listContactHistory: () => api.GET('/v1/records/contacts/{id}/history', one(ids.contact)),
    listOpportunities: () =>
      api.GET('/v1/records/opportunities', { params: { query: { account_id: ids.account, limit: 5 } } }),
    createOpportunity: () =>
      api.POST('/v1/records/opportunities', {
        body: { opportunity_name: 'O', account_id: ids.account, amount: 12.5, close_date: '2026-12-31' },
      }),
    getOpportunity: () => api.GET('/v1/records/opportunities/{id}', one(ids.opportunity)),
    updateOpportunity: () =>
      api.PATCH('/v1/records/opportunities/{id}', { ...one(ids.opportunity), body: { amount: null } }),
    upsertOpportunity: () =>
      api.POST('/v1/records/opportunities/upsert', {
        body: { match: { id: ids.opportunity }, add: { tags: ['x'] }, on_several: 'newest' },
      }),
    batchOpportunities: () =>
      api.POST('/v1/records/opportunities/batch', {
        body: { operation: 'upsert', items: [{ match: { id: ids.opportunity }, set: { amount: 5 } }] },
      }),
    listOpportunityHistory: () => api.GET('/v1/records/opportunities/{id}/history', one(ids.opportunity)),
    summarizeOpportunities: () =>
      api.GET('/v1/records/opportunities/summary', {
        params: { query: { group_by: 'stage_id', sum: 'amount', expand: 'stage', 'tags[any]': ['vip', 'press'] } },
      }),
    listPipelines: () => api.GET('/v1/records/pipelines', page),
    getPipeline: () => api.GET('/v1/records/pipelines/{id}', one(ids.pipeline)),
    createPipeline: () => api.POST('/v1/records/pipelines', { body: { name: 'By openapi-fetch' } }),
    updatePipeline: () => api.PATCH('/v1/records/pipelines/{id}', { ...one(ids.pipeline), body: { active: false } }),
    deletePipeline: () => api.DELETE('/v1/records/pipelines/{id}', tried(ids.pipeline)),
    orderStages: () =>
      api.POST('/v1/records/pipelines/{id}/stage-order', { ...one(ids.pipeline), body: { stage_ids: [ids.stage] } }),
    listPipelineHistory: () => api.GET('/v1/records/pipelines/{id}/history', one(ids.pipeline)),
    listStages: () => api.GET('/v1/records/stages', { params: { query: { pipeline_id: ids.pipeline } } }),
    getStage: () => api.GET('/v1/records/stages/{id}', one(ids.stage)),
    createStage: () =>
      api.POST('/v1/records/stages', { body: { pipeline_id: ids.pipeline, name: 'Won', is_won: true } }),
    updateStage: () => api.PATCH('/v1/records/stages/{id}', { ...one(ids.stage), body: { exit_criteria: null } }),
    deleteStage: () => api.DELETE('/v1/records/stages/{id}', tried(ids.stage)),
    listStageHistory: () => api.GET('/v1/records/stages/{id}/history', one(ids.stage)),
    listUsers: () => api.GET('/v1/records/users', page),
    getUser: () => api.GET('/v1/records/users/{id}', one(ids.user)),
    createUser: () =>
      api.POST('/v1/records/users', { body: { email: 'fetch@a.example', first_name: 'A', last_name: 'B' } }),
    updateUser: () => api.PATCH('/v1/records/users/{id}', { ...one(ids.user), body: { job_level: 'lead' } }),
    listUserHistory: () => api.GET('/v1/records/users/{id}/history', one(ids.user)),
    createCustomActivity: () =>
      api.POST('/v1/activities/custom', { body: { content: 'Called.', contact_ids: [ids.contact] } }),
    listCustomActivities: () => api.GET('/v1/activities/custom', { params: { query: { contact_id: ids.contact } } }),
    batchCustomActivities: () =>
      api.POST('/v1/activities/custom/batch', { body: { operation: 'create', items: [{ content: 'Called.' }] } }),
    getCustomActivity: () => api.GET('/v1/activities/custom/{id}', one(ids.custom_activity)),
    listCustomActivityHistory: () => api.GET('/v1/activities/custom/{id}/history', one(ids.custom_activity)),
    listEvents: () =>
      api.GET('/v1/events', {
        params: { query: { after: 'start', type: 'account.*', 'created_at[gte]': '2026-01-01T00:00:00Z' } },
      }),
    getEvent: () => api.GET('/v1/events/{id}', one(ids.event)),
    getSelf: () => api.GET('/v1/self'),
    findAccountDuplicates: () => api.GET('/v1/records/accounts/duplicates', { params: { query: { by: 'domain' } } }),
    mergeAccounts: async () => {
      const [winner, loser] = await Promise.all(
        ['A', 'B'].map((name) => api.POST('/v1/records/accounts', { body: { account_name: name } })),
      );
      const body = { winner_id: winner!.data!.data.id, loser_ids: [loser!.data!.data.id] };
      return api.POST('/v1/records/accounts/merge', { body });
    },
    findContactDuplicates: () =>
      api.GET('/v1/records/contacts/duplicates', { params: { query: { by: 'name_company', limit: 5 } } }),
    mergeContacts: async () => {
      const [winner, loser] = await Promise.all(
        ['A', 'B'].map((name) => api.POST('/v1/records/contacts', { body: { first_name: name, last_name: name } })),
      );
      const body = { winner_id: winner!.data!.data.id, loser_ids: [loser!.data!.data.id], set: { title: 'CTO' } };
      return api.POST('/v1/records/contacts/merge', { body });
    },
    deleteAccount: () =>
      api.DELETE('/v1/records/accounts/{id}', {
        params: { path: { id: ids.account }, query: { cascade: 'true', dry_run: 'true' } },
      }),
    deleteContact: () => api.DELETE('/v1/records/contacts/{id}', one(ids.contact)),
    listTrash: () => api.GET('/v1/trash', { params: { query: { resource: 'contact', limit: 5 } } }),
    getTrashEntry: () => api.GET('/v1/trash/{id}', one(ids.contact)),
    restoreFromTrash: () => api.POST('/v1/trash/{id}/restore', one(ids.contact)),
    deleteOpportunity: () => api.DELETE('/v1/records/opportunities/{id}', tried(ids.opportunity)),
    deleteCustomActivity: () => api.DELETE('/v1/activities/custom/{id}', tried(ids.custom_activity)),
    chat: () =>
      chat.POST('/v1/genie/chat', {
        body: { messages: [{ role: 'user', content: 'What does it cost?' }] },
        parseAs: 'text',
      }),
    requestDemo: () =>
      chat.POST('/v1/genie/demo-request', { body: { name: 'Ada', work_email: 'ada@robotics.example' } }),
    voteAnswer: () => chat.POST('/v1/genie/answer-vote', { body: { answer_id: 'fetch', vote: 'up' } }),
  } satisfies Record<keyof operations, () => Promise<Outcome>>;
}

type AccountBatch = paths['/v1/records/accounts/batch']['post']['requestBody']['content']['application/json'];

type Contact = components['schemas']['Contact'];

// @ts-expect-error: the account that `expand` adds has a type, and it may be absent.
export const wrongName = ({ account }: Contact): string => account?.account_name;
// @ts-expect-error: the items of a create are accounts.
export const wrongItems: AccountBatch = { operation: 'create', items: [{ first_name: 'Ada' }] };
// @ts-expect-error: the items of a change name their record.
export const wrongOperation: AccountBatch = { operation: 'update', items: [{ account_name: 'A' }] };
