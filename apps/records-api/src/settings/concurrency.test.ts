import { onlyRow, statement } from '@relata/db';
import { type ApiClient, apiClient } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../records-api.harness.ts';
import { createEmptyOrganization, type SalesSite, salesSite } from './settings.harness.ts';

let api: TestApi;
let client: ApiClient;
let orgId: string;
let key: string;
let site: SalesSite;

beforeAll(async () => {
  api = await startTestApi();
  ({ client, orgId, key } = await createEmptyOrganization(api));
  site = salesSite(client);
});
afterAll(() => api[Symbol.asyncDispose]());

const disagreements = statement<{ n: number }>(
  'test.disagreements',
  `SELECT count(*)::integer AS n FROM opportunities o
   LEFT JOIN stages s ON s.org_id = o.org_id AND s.id = o.stage_id
   LEFT JOIN pipelines p ON p.org_id = s.org_id AND p.id = s.pipeline_id
   WHERE o.org_id = $1 AND o.stage_id IS NOT NULL AND o.pipeline IS DISTINCT FROM p.name`,
);

/** Counts opportunities whose last event has another pipeline or stage than the opportunity itself. */
const unrecorded = statement<{ n: number }>(
  'test.unrecorded',
  `SELECT count(*)::integer AS n FROM opportunities o CROSS JOIN LATERAL (
     SELECT record FROM events e WHERE e.org_id = o.org_id AND e.record_id = o.id ORDER BY seq DESC LIMIT 1) last
   WHERE o.org_id = $1 AND (last.record ->> 'pipeline' IS DISTINCT FROM o.pipeline
     OR last.record ->> 'stage_id' IS DISTINCT FROM o.stage_id::text OR last.record ->> 'amount' IS DISTINCT FROM o.amount::text)`,
);

const roundsMax = 20;
const pick = <Each>(list: readonly Each[]) => list[Math.floor(Math.random() * list.length)]!;

/** Sends requests that change the stage or other fields of opportunities, until it is stopped. */
class Traffic {
  /** Stages that requests name; some may be deleted meanwhile. */
  stageIds: readonly string[] = [];
  readonly statuses = new Map<string, number>();
  readonly #deals: readonly { id: string; account_id?: unknown }[];
  #isOver = false;
  readonly #running: Promise<void>[];

  constructor(clients: readonly ApiClient[], deals: readonly { id: string; account_id?: unknown }[]) {
    this.#deals = deals;
    this.#running = clients.flatMap((each) => this.#requests(each).map((request) => this.#repeat(request)));
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#running);
  }

  async #repeat(request: () => ReturnType<ApiClient>): Promise<void> {
    while (!this.#isOver) {
      const { status, error } = await request();
      const outcome = status < 300 ? String(status) : `${status} ${error.error}`;
      this.statuses.set(outcome, (this.statuses.get(outcome) ?? 0) + 1);
    }
  }

  #requests(client: ApiClient): (() => ReturnType<ApiClient>)[] {
    const path = '/v1/records/opportunities';
    const { account_id } = this.#deals[0]!;
    const stage = () => ({ stage_id: pick(this.stageIds) });
    const amount = () => ({ amount: Math.floor(Math.random() * 1_000) });
    const deal = () => pick(this.#deals).id;
    const set = () => ({ opportunity_name: 'Deal', account_id, ...stage() });
    const items = () => this.#deals.slice(0, 6).map(({ id }) => ({ id, set: stage() }));
    return [
      () => client('PATCH', `${path}/${deal()}`, { body: { ...stage(), ...amount() } }),
      () => client('PATCH', `${path}/${deal()}`, { body: stage() }),
      () => client('PATCH', `${path}/${deal()}`, { body: amount() }),
      () => client('POST', path, { body: set() }),
      () => client('POST', `${path}/upsert`, { body: { match: { id: deal() }, set: set() } }),
      () =>
        client('POST', `${path}/batch`, { body: { operation: 'update', atomic: Math.random() < 0.5, items: items() } }),
    ];
  }
}

test('B8.11: while settings change, stage and pipeline always agree, and each change has its event', async () => {
  await using replica = await api.startReplica();
  const pipelines = [await site.pipeline('A'), await site.pipeline('B')] as const;
  const stages = await Promise.all(pipelines.map((pipeline) => site.stage(pipeline, 'Fixed')));
  const fixed = stages.map(({ id }) => id);
  const deals = await Promise.all(Array.from({ length: 12 }, (_, i) => site.opportunity({ stage_id: fixed[i % 2] })));
  const traffic = new Traffic([client, apiClient(replica.url, key)], deals);
  try {
    for (let round = 0; round < roundsMax; round++) {
      const owner = pick(pipelines);
      const extra = await site.stage(owner, `Extra ${round}`);
      traffic.stageIds = [...fixed, extra.id];
      const renames = pipelines.map(({ id }, i) =>
        client('PATCH', `/v1/records/pipelines/${id}`, { body: { name: `${i} of ${round}` } }),
      );
      const responses = await Promise.all([
        ...renames,
        site.order(owner.id, [extra.id, fixed[pipelines.indexOf(owner)]!]),
      ]);
      const removed = await site.remove('stages', extra.id, `?move_to=${pick(fixed)}`);
      traffic.stageIds = round % 2 ? fixed : [...fixed, extra.id];
      expect([...responses, removed].map(({ status, text }) => (status === 200 ? status : text))).toEqual([
        200, 200, 200, 200,
      ]);
      expect(await onlyRow(api.db.database, disagreements, [orgId])).toEqual({ n: 0 });
    }
  } finally {
    await traffic.stop();
  }
  expect(await onlyRow(api.db.database, disagreements, [orgId])).toEqual({ n: 0 });
  expect(await onlyRow(api.db.database, unrecorded, [orgId])).toEqual({ n: 0 });
  const expected = new Set(['200', '201', '400 validation_error', '409 batch_aborted', '409 conflict']);
  expect([...traffic.statuses.keys()].filter((outcome) => !expected.has(outcome))).toEqual([]);
}, 120_000);
