import { createClient } from '../.generated/hey-api/client/index.js';
import * as sdk from '../.generated/hey-api/sdk.gen.js';
import type { BatchAccountsData, Contact } from '../.generated/hey-api/types.gen.js';
import type { Outcome, TestServices } from './test-services.ts';

/** Returns calls of all operations with a client of @hey-api/openapi-ts. A missing operation does not compile. */
export function callsOf({ apiUrl, chatUrl, key, ids }: TestServices) {
  const api = { client: createClient({ baseUrl: apiUrl, auth: key }) };
  const chat = { client: createClient({ baseUrl: chatUrl, auth: key }) };
  const one = (id: string) => ({ ...api, path: { id } });
  const tried = (id: string) => ({ ...one(id), query: { dry_run: 'true' as const } });
  const page = { ...api, query: { limit: 5, offset: 0 } };
  return {
    listAccounts: () => sdk.listAccounts({ ...api, query: { domain: 'robotics.example' } }),
    createAccount: () => sdk.createAccount({ ...api, body: { account_name: 'A', sales_status: 'lead' } }),
    getAccount: () => sdk.getAccount(one(ids.account)),
    updateAccount: () => sdk.updateAccount({ ...one(ids.account), body: { city: null } }),
    upsertAccount: () =>
      sdk.upsertAccount({
        ...api,
        headers: { 'Idempotency-Key': 'hey-api' },
        body: { match: { crm_id: 'hey-1' }, create: { account_name: 'A' }, fill: { city: 'Bern' } },
      }),
    batchAccounts: () =>
      sdk.batchAccounts({
        ...api,
        body: { operation: 'create', items: [{ account_name: 'A', tags: ['x'] }, { account_name: 'B' }] },
      }),
    listAccountHistory: () => sdk.listAccountHistory(one(ids.account)),
    listContacts: () => sdk.listContacts({ ...api, query: { email: 'ada@robotics.example', expand: 'account,owner' } }),
    createContact: () => sdk.createContact({ ...api, body: { first_name: 'A', last_name: 'B' } }),
    getContact: () => sdk.getContact(one(ids.contact)),
    updateContact: () => sdk.updateContact({ ...one(ids.contact), body: { title: 'Chief' } }),
    upsertContact: () =>
      sdk.upsertContact({
        ...api,
        body: { match: { email: 'h@a.example' }, set: { first_name: 'A', last_name: 'B' }, mode: 'create_only' },
      }),
    batchContacts: () =>
      sdk.batchContacts({
        ...api,
        query: { dry_run: 'true' },
        body: { operation: 'update', atomic: true, items: [{ id: ids.contact, set: { phone: null } }] },
      }),
    listContactHistory: () => sdk.listContactHistory(one(ids.contact)),
    listOpportunities: () => sdk.listOpportunities({ ...api, query: { account_id: ids.account, limit: 5 } }),
    createOpportunity: () =>
      sdk.createOpportunity({
        ...api,
        body: { opportunity_name: 'O', account_id: ids.account, amount: 12.5, close_date: '2026-12-31' },
      }),
    getOpportunity: () => sdk.getOpportunity(one(ids.opportunity)),
    updateOpportunity: () => sdk.updateOpportunity({ ...one(ids.opportunity), body: { amount: null } }),
    upsertOpportunity: () =>
      sdk.upsertOpportunity({
        ...api,
        body: { match: { id: ids.opportunity }, add: { tags: ['x'] }, on_several: 'newest' },
      }),
    batchOpportunities: () =>
      sdk.batchOpportunities({
        ...api,
        body: { operation: 'upsert', items: [{ match: { id: ids.opportunity }, set: { amount: 6 } }] },
      }),
    listOpportunityHistory: () => sdk.listOpportunityHistory(one(ids.opportunity)),
    summarizeOpportunities: () =>
      sdk.summarizeOpportunities({
        ...api,
        query: { group_by: 'stage_id', sum: 'amount', expand: 'stage', 'tags[any]': ['vip', 'press'] },
      }),
    listPipelines: () => sdk.listPipelines(page),
    getPipeline: () => sdk.getPipeline(one(ids.pipeline)),
    createPipeline: () => sdk.createPipeline({ ...api, body: { name: 'By hey-api' } }),
    updatePipeline: () => sdk.updatePipeline({ ...one(ids.pipeline), body: { active: false } }),
    deletePipeline: () => sdk.deletePipeline(tried(ids.pipeline)),
    orderStages: async () => {
      const { data } = await sdk.listStages({ ...api, query: { pipeline_id: ids.pipeline } });
      return sdk.orderStages({ ...one(ids.pipeline), body: { stage_ids: data!.data.map(({ id }) => id) } });
    },
    listPipelineHistory: () => sdk.listPipelineHistory(one(ids.pipeline)),
    listStages: () => sdk.listStages({ ...api, query: { pipeline_id: ids.pipeline } }),
    getStage: () => sdk.getStage(one(ids.stage)),
    createStage: () => sdk.createStage({ ...api, body: { pipeline_id: ids.pipeline, name: 'Lost', is_lost: true } }),
    updateStage: () => sdk.updateStage({ ...one(ids.stage), body: { exit_criteria: null } }),
    deleteStage: () => sdk.deleteStage(tried(ids.stage)),
    listStageHistory: () => sdk.listStageHistory(one(ids.stage)),
    listUsers: () => sdk.listUsers(page),
    getUser: () => sdk.getUser(one(ids.user)),
    createUser: () => sdk.createUser({ ...api, body: { email: 'hey@a.example', first_name: 'A', last_name: 'B' } }),
    updateUser: () => sdk.updateUser({ ...one(ids.user), body: { job_level: 'lead' } }),
    listUserHistory: () => sdk.listUserHistory(one(ids.user)),
    createCustomActivity: () =>
      sdk.createCustomActivity({ ...api, body: { content: 'Called.', contact_ids: [ids.contact] } }),
    listCustomActivities: () => sdk.listCustomActivities({ ...api, query: { contact_id: ids.contact } }),
    batchCustomActivities: () =>
      sdk.batchCustomActivities({ ...api, body: { operation: 'create', items: [{ content: 'Called.' }] } }),
    getCustomActivity: () => sdk.getCustomActivity(one(ids.custom_activity)),
    listCustomActivityHistory: () => sdk.listCustomActivityHistory(one(ids.custom_activity)),
    listEvents: () => sdk.listEvents({ ...api, query: { after: 'start', type: 'account.*' } }),
    getEvent: () => sdk.getEvent(one(ids.event)),
    getSelf: () => sdk.getSelf(api),
    findAccountDuplicates: () => sdk.findAccountDuplicates({ ...api, query: { by: 'domain' } }),
    mergeAccounts: async () => {
      const [winner, loser] = await Promise.all(
        ['A', 'B'].map((name) => sdk.createAccount({ ...api, body: { account_name: name } })),
      );
      const body = { winner_id: winner!.data!.data.id, loser_ids: [loser!.data!.data.id] };
      return sdk.mergeAccounts({ ...api, body });
    },
    findContactDuplicates: () => sdk.findContactDuplicates({ ...api, query: { by: 'name_company', limit: 5 } }),
    mergeContacts: async () => {
      const [winner, loser] = await Promise.all(
        ['A', 'B'].map((name) => sdk.createContact({ ...api, body: { first_name: name, last_name: name } })),
      );
      const body = { winner_id: winner!.data!.data.id, loser_ids: [loser!.data!.data.id], set: { title: 'CTO' } };
      return sdk.mergeContacts({ ...api, body });
    },
    deleteAccount: () =>
      sdk.deleteAccount({ ...one(ids.account), query: { cascade: 'true' as const, dry_run: 'true' as const } }),
    deleteContact: () => sdk.deleteContact(one(ids.contact)),
    listTrash: () => sdk.listTrash({ ...api, query: { resource: 'contact', limit: 5 } }),
    getTrashEntry: () => sdk.getTrashEntry(one(ids.contact)),
    restoreFromTrash: () => sdk.restoreFromTrash(one(ids.contact)),
    deleteOpportunity: () => sdk.deleteOpportunity(tried(ids.opportunity)),
    deleteCustomActivity: () => sdk.deleteCustomActivity(tried(ids.custom_activity)),
    chat: async () => {
      let error: unknown;
      const { stream } = await sdk.chat({
        ...chat,
        body: { messages: [{ role: 'user', content: 'What does it cost?' }] },
        // By default the client retries forever, even if a request is refused.
        sseMaxRetryAttempts: 1,
        onSseError: (given) => (error = given),
      });
      const events = await Array.fromAsync(stream);
      return { error, data: events.length > 0 ? events : undefined };
    },
    requestDemo: () => sdk.requestDemo({ ...chat, body: { name: 'Ada', work_email: 'ada@robotics.example' } }),
    voteAnswer: () => sdk.voteAnswer({ ...chat, body: { answer_id: 'hey', vote: 'up' } }),
  } satisfies Record<keyof typeof sdk, () => Promise<Outcome>>;
}

// @ts-expect-error: the account that `expand` adds has a type, and it may be absent.
export const wrongName = ({ account }: Contact): string => account?.account_name;
// @ts-expect-error: the items of a create are accounts.
export const wrongItems: BatchAccountsData['body'] = { operation: 'create', items: [{ first_name: 'Ada' }] };
// @ts-expect-error: the items of a change name their record.
export const wrongOperation: BatchAccountsData['body'] = { operation: 'update', items: [{ account_name: 'A' }] };
