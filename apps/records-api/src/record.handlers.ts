import {
  accounts,
  contacts,
  createCustomActivity,
  createOpportunity,
  customActivities,
  findRecord,
  opportunities,
  type Page,
  type PageQuery,
  pipelines,
  type RecordTable,
  stages,
  updateOpportunity,
  updateRecord,
  users,
} from '@relata/records';
import { type HandlerContext, type Handlers, SharedAnswer } from '@relata/http';
import { JoinedReads } from '@relata/runtime';
import type { recordsOperations } from '@relata/schemas';
import type { RecordsContext } from './context.ts';
import { found } from './found.ts';
import { describeSelf } from './self.handler.ts';

type Input<Part extends string, Value> = Record<Part, Value>;

/** What is done for each operation of the records API. */
export function recordHandlers(context: RecordsContext): Handlers<typeof recordsOperations> {
  const { database, inserts, lists } = context;

  const list = <Rec>(table: RecordTable<Rec>) => {
    // One page is often asked for by many at once, and is the dearest thing to read.
    const reads = new JoinedReads<SharedAnswer<Page<Rec>>>();
    return ({ query }: Input<'query', PageQuery>, { caller: { orgId }, exchange }: HandlerContext) => {
      const read = async (signal: AbortSignal) => new SharedAnswer(await lists.list(orgId, table, query, signal));
      return reads.read(JSON.stringify([orgId, query]), read, exchange);
    };
  };

  const get =
    <Rec>(table: RecordTable<Rec>) =>
    ({ params }: Input<'params', { id: string }>, { caller }: HandlerContext) =>
      found(findRecord(database.of(caller.orgId), caller.orgId, table, params.id));

  const create =
    <Rec>(table: RecordTable<Rec>) =>
    async ({ body }: Input<'body', Record<string, unknown>>, { caller }: HandlerContext) => ({
      data: await inserts.create(caller.orgId, table, body),
    });

  const update =
    <Rec>(table: RecordTable<Rec>) =>
    ({ params, body }: Input<'params', { id: string }> & Input<'body', Record<string, unknown>>, at: HandlerContext) =>
      found(updateRecord(database.of(at.caller.orgId), at.caller.orgId, table, params.id, body));

  return {
    listAccounts: list(accounts),
    createAccount: create(accounts),
    getAccount: get(accounts),
    updateAccount: update(accounts),
    listContacts: list(contacts),
    createContact: create(contacts),
    getContact: get(contacts),
    updateContact: update(contacts),
    listOpportunities: list(opportunities),
    createOpportunity: async ({ body }, { caller }) => ({
      data: await createOpportunity(database.of(caller.orgId), inserts, caller.orgId, body),
    }),
    getOpportunity: get(opportunities),
    updateOpportunity: ({ params, body }, { caller }) =>
      found(updateOpportunity(database.of(caller.orgId), caller.orgId, params.id, body)),
    listPipelines: list(pipelines),
    getPipeline: get(pipelines),
    listStages: list(stages),
    getStage: get(stages),
    listUsers: list(users),
    getUser: get(users),
    createCustomActivity: async ({ body }, { caller }) => ({
      data: await createCustomActivity(inserts, caller.orgId, body),
    }),
    listCustomActivities: list(customActivities),
    getCustomActivity: get(customActivities),
    getSelf: (_input, { caller }) => Promise.resolve({ data: describeSelf(caller, context.rateLimit) }),
  };
}
