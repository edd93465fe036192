import { newId, statement } from '@relata/db';
import { until } from '@relata/testing';
import { startTestApi, type TestApi } from '../records-api.harness.ts';

export type Plural = 'accounts' | 'contacts' | 'opportunities' | 'activities';

type Data = Record<string, unknown> & { id: string };

export type TrashResponse = Awaited<ReturnType<TestApi['tenant']['client']>>;

/** A request that waits for a write to commit. */
interface Waiting {
  request(): Promise<TrashResponse>;
  /** Called once the request waits, before the write commits. */
  meanwhile?(): Promise<unknown>;
}

/** Calls of the API for tests of the trash. */
export interface TrashApi extends TestApi {
  pathOf(plural: Plural, rest?: string): string;
  /** Creates a record with the required fields and the given ones, and returns it. */
  make(plural: Plural, fields?: object): Promise<Data>;
  get(plural: Plural, id: string): Promise<TrashResponse>;
  remove(plural: Plural, id: string, query?: string): Promise<TrashResponse>;
  restore(id: string): Promise<TrashResponse>;
  /** Inserts a user, and returns the id. */
  makeUser(): Promise<string>;
  /** Inserts a stage in a new pipeline, and returns the id. */
  makeStage(pipeline: string): Promise<string>;
  history(plural: Plural, id: string): Promise<Record<string, unknown>[]>;
  total(plural: Plural): Promise<number>;
  /** Runs a statement as the owner of the tables. */
  sql<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Returns the number of statements that wait for locks. */
  countWaiting(): Promise<number>;
  /**
   * Runs a statement as the owner of the tables, and commits it once the request waits for it. Returns the response to
   * the request.
   */
  whileWritten(text: string, values: readonly unknown[], waiting: Waiting): Promise<TrashResponse>;
  /** Returns the number of ids in the database that refer to a missing record. */
  countDangling(): Promise<number>;
}

export async function startTrashApi(): Promise<TrashApi> {
  const api = await startTestApi();
  const { client, ids } = api.tenant;
  const pathOf = (plural: Plural, rest = '') =>
    plural === 'activities' ? `/v1/activities/custom${rest}` : `/v1/records/${plural}${rest}`;
  const bodies: Record<Plural, object> = {
    accounts: { account_name: 'Robotics' },
    contacts: { first_name: 'Ada', last_name: 'Lovelace' },
    opportunities: { opportunity_name: 'Deal', account_id: ids.account },
    activities: { content: 'Called' },
  };
  const sql: TrashApi['sql'] = (text, values = []) => api.db.owner.query(statement('', text), values);
  const countWaiting = async () => (await sql(waitingForLocks)).length;
  return {
    ...api,
    pathOf,
    sql,
    countWaiting,
    whileWritten: async (text, values, { request, meanwhile }) => {
      let response: Promise<TrashResponse> | undefined;
      await api.db.owner.transaction(async (db) => {
        await db.query(statement('', text), values);
        response = request();
        await until(async () => {
          if ((await countWaiting()) === 0)
            throw new Error('No statement is waiting for a lock of the open transaction.');
        });
        await meanwhile?.();
      });
      return response!;
    },
    make: async (plural, fields = {}) => {
      const { body, status, text } = await client('POST', pathOf(plural), { body: { ...bodies[plural], ...fields } });
      if (status !== 201) throw new Error(text);
      return body.data as Data;
    },
    get: (plural, id) => client('GET', pathOf(plural, `/${id}`)),
    remove: (plural, id, query = '') => client('DELETE', pathOf(plural, `/${id}${query}`)),
    restore: (id) => client('POST', `/v1/trash/${id}/restore`),
    makeUser: async () => {
      const id = newId();
      await sql(
        `INSERT INTO users (org_id, id, email, first_name, last_name, role, status)
         VALUES ($1, $2, $3, 'Grace', 'Hopper', 'member', 'active')`,
        [api.tenant.orgId, id, `${id}@acme.example`],
      );
      return id;
    },
    makeStage: async (pipeline) => {
      const [pipelineId, id] = [newId(), newId()];
      await sql('INSERT INTO pipelines (org_id, id, name, active, is_default) VALUES ($1, $2, $3, true, false)', [
        api.tenant.orgId,
        pipelineId,
        pipeline,
      ]);
      await sql(
        `INSERT INTO stages (org_id, id, pipeline_id, name, is_won, is_lost, is_closed, active, display_order)
         VALUES ($1, $2, $3, 'First', false, false, false, true, 1)`,
        [api.tenant.orgId, id, pipelineId],
      );
      return id;
    },
    history: async (plural, id) => (await client('GET', pathOf(plural, `/${id}/history`))).body.data,
    total: async (plural) => (await client('GET', pathOf(plural, '?limit=1'))).body.total,
    countDangling: async () => (await sql<{ n: number }>(dangling))[0]!.n,
  };
}

const waitingForLocks = `SELECT FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;

const dangling = `SELECT count(*)::integer AS n FROM (
    SELECT FROM opportunities o, unnest(o.contact_ids) AS named (id)
      WHERE NOT EXISTS (SELECT FROM contacts c WHERE c.org_id = o.org_id AND c.id = named.id)
    UNION ALL SELECT FROM opportunities o
      WHERE NOT EXISTS (SELECT FROM accounts a WHERE a.org_id = o.org_id AND a.id = o.account_id)
    UNION ALL SELECT FROM contacts c WHERE c.account_id IS NOT NULL
      AND NOT EXISTS (SELECT FROM accounts a WHERE a.org_id = c.org_id AND a.id = c.account_id)
    UNION ALL SELECT FROM custom_activity_contacts l
      WHERE NOT EXISTS (SELECT FROM contacts c WHERE c.org_id = l.org_id AND c.id = l.contact_id)
    UNION ALL SELECT FROM custom_activity_opportunities l
      WHERE NOT EXISTS (SELECT FROM opportunities o WHERE o.org_id = l.org_id AND o.id = l.opportunity_id)
  ) each`;
