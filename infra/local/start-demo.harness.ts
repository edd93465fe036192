import { assignWorkflow, listTriggers, listWorkflows } from '@relata/workflows';
import { replayDelivery } from '@relata/workflows/deliveries';
import { noopBus, operatorActor } from '@relata/events';
import { type Database, openDatabase, statement } from '@relata/db';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { clientOf, like, organizationOf, performCurl, type StackClient } from './stack/stack.harness.ts';
import { promised, type Started } from './start.harness.ts';

const { id, list, publishableKey, secretKey, text, triggerSecret } = like;

let { checkout, run, stack } = {} as Started;
let call: StackClient;
let database: Database;
/** Cookie of the session that the printed link starts. */
let cookie = '';

const ask = async <Row>(sql: string, values: unknown[] = []) => await database.query(statement<Row>('', sql), values);

const keyOf = (name: 'Acme' | 'Globex') => organizationOf(stack, name).keys.full;

/** Returns numbers of deliveries, runs and demo requests of an organization, from the tables. */
async function storedOf(orgId: string) {
  const [row] = await ask<Record<'deliveries' | 'runs' | 'failed' | 'waiting' | 'requests', number>>(
    `SELECT (SELECT count(*)::integer FROM webhook_deliveries WHERE org_id = $1) AS deliveries,
       (SELECT count(*)::integer FROM workflow_runs WHERE org_id = $1) AS runs,
       (SELECT count(*)::integer FROM workflow_runs WHERE org_id = $1 AND status = 'failed') AS failed,
       (SELECT count(*)::integer FROM workflow_runs WHERE org_id = $1 AND status = 'waiting') AS waiting,
       (SELECT count(*)::integer FROM demo_requests WHERE org_id = $1 AND status = 'sent') AS requests`,
    [orgId],
  );
  return row!;
}

function useStack(started: () => Started): void {
  beforeAll(() => {
    ({ checkout, run, stack } = started());
    call = clientOf(stack);
    database = openDatabase({ url: stack.postgres.url, name: 'test', poolMax: 2 });
  });
  afterAll(() => database?.[Symbol.asyncDispose]());
}

/** Tests the demo data of Acme after the first start, before other tests add to it. */
export function testDay(started: () => Started): void {
  describe('the day of the demo', () => {
    useStack(started);

    test('Acme has deliveries, a problem, a waiting run and a demo request; Globex has none (found B2)', async () => {
      const [acme, globex] = [organizationOf(stack, 'Acme'), organizationOf(stack, 'Globex')];
      await vi.waitFor(async () => {
        expect(await storedOf(acme.id)).toEqual({ deliveries: 40, runs: 35, failed: 3, waiting: 1, requests: 1 });
        const open = `SELECT FROM workflow_runs WHERE status IN ('queued', 'running')`;
        expect(await ask(open)).toEqual([]);
      }, promised);
      expect(await storedOf(globex.id)).toEqual({ deliveries: 0, runs: 0, failed: 0, waiting: 0, requests: 0 });
      const posted = await ask<{ trigger: string; n: number }>(
        `SELECT t.name AS trigger, count(*)::integer AS n FROM webhook_deliveries d
         JOIN webhook_triggers t ON t.org_id = d.org_id AND t.id = d.trigger_id GROUP BY 1 ORDER BY 2 DESC`,
      );
      expect(posted).toEqual([
        { trigger: 'Website form', n: 16 },
        { trigger: 'Shop orders', n: 10 },
        { trigger: 'Partner events', n: 8 },
        { trigger: 'GitHub', n: 6 },
      ]);
      const causes = `SELECT DISTINCT error ->> 'step' AS step, error ->> 'code' AS code FROM workflow_runs WHERE status = 'failed'`;
      expect(await ask(causes)).toEqual([{ step: 'account', code: 'expression_error' }]);
    });
  });
}

/** Tests typical uses of the demo, and then its removal. */
export function testDemo(started: () => Started): void {
  describe('the demo', () => {
    useStack(started);

    test('stack.json has both organizations with their keys, and the ids of demo records of Acme', () => {
      const keys = { full: secretKey, read_only: secretKey, chat: secretKey, webhook: secretKey };
      const shape = { id, users: list, pipelines: list, stages: list, triggers: list };
      expect(stack.organizations).toEqual([
        { name: 'Acme', keys: { ...keys, publishable: publishableKey }, ...shape },
        { name: 'Globex', keys, ...shape },
      ]);
      const { users = [], pipelines = [], stages = [] } = organizationOf(stack, 'Acme');
      expect(users).toEqual(Array.from(users, () => ({ id, email: expect.stringContaining('@') })));
      expect(pipelines).toEqual(Array.from(pipelines, () => ({ id, name: text })));
      expect(stages).toEqual(Array.from(stages, () => ({ id, name: text })));
      expect(Math.min(users.length, pipelines.length, stages.length)).toBeGreaterThan(0);
    });

    test('stack.json has the URL and the secret of each demo trigger', () => {
      const { triggers, keys } = organizationOf(stack, 'Acme');
      const shape = { id, name: text, url: expect.stringContaining(`${stack.base_url}/webhooks/trigger/`) };
      const workflows = ['inbound-lead'];
      expect(triggers).toEqual([
        { ...shape, mode: 'unique', secret: triggerSecret, workflows },
        { ...shape, mode: 'shared', secret: keys.webhook, workflows },
      ]);
    });

    test('a lead that is posted to the webhook becomes a contact', async () => {
      for (const [i, trigger] of organizationOf(stack, 'Acme').triggers!.entries()) {
        const email = `lead-${i}@example.com`;
        const headers = { 'X-Webhook-Secret': trigger.secret! };
        const body = JSON.stringify({ user: { email, name: 'New Lead' }, form: {} });
        const response = await fetch(trigger.url, {
          method: 'POST',
          headers,
          body,
          signal: AbortSignal.timeout(60_000),
        });
        expect([response.status, await response.json()]).toEqual([202, { received: true }]);
        await vi.waitFor(async () => {
          const found = await call('GET', `/v1/records/contacts?email=${email}`, keyOf('Acme'));
          expect(found).toMatchObject({ body: { total: 1, data: [{ email, first_name: 'New', last_name: 'Lead' }] } });
        }, promised);
      }
    });

    test('every curl command of the banner works', async () => {
      const offered = run
        .stdout()
        .split('\n')
        .filter((line) => line.startsWith('curl '));
      expect(offered.length).toBeGreaterThan(4);
      for (const line of offered) expect(await performCurl(line), line).toBeLessThan(300);
    });

    test('the link in the banner signs in to the console once, as an admin of both organizations', async () => {
      const [, link = ''] = /^ {2}Console +(\S+) +\(once, 15 minutes/m.exec(run.stdout()) ?? [];
      const { origin, pathname, hash } = new URL(link);
      expect([origin, pathname]).toEqual([stack.base_url, '/console/enter']);
      const enter = () =>
        fetch(`${origin}/console/api/enter`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin' },
          body: JSON.stringify({ token: hash.slice(1) }),
        });
      const entered = await enter();
      [cookie = ''] = entered.headers.get('set-cookie')!.split(';');
      expect(cookie).toMatch(/^relata_session=/);
      const { data } = (await entered.json()) as { data: { memberships: { organization: object; role: string }[] } };
      expect(data.memberships.map(({ organization, role }) => ({ organization, role }))).toEqual(
        (['Acme', 'Globex'] as const).map((name) => ({
          organization: { id: organizationOf(stack, name).id, name },
          role: 'admin',
        })),
      );
      expect((await enter()).status).toBe(410);
    });

    test('the read-only key of the demo can read and cannot write', async () => {
      const key = organizationOf(stack, 'Acme').keys.read_only ?? '';
      expect(await call('GET', '/v1/records/accounts', key)).toMatchObject({ status: 200 });
      expect(await call('POST', '/v1/records/accounts', key, { account_name: 'No' })).toMatchObject({ status: 403 });
    });

    test("Globex sees nothing of Acme's records", async () => {
      const acmes = await call('GET', '/v1/records/accounts', keyOf('Acme'));
      const { id: accountId } = (acmes.body as { data: { id: string }[] }).data[0]!;
      const one = await call('GET', `/v1/records/accounts/${accountId}`, keyOf('Globex'));
      expect(one).toMatchObject({ status: 404, body: { error: 'not_found' } });
      expect(await call('GET', '/v1/records/accounts', keyOf('Globex'))).toMatchObject({
        body: { data: [], total: 0 },
      });
    });

    test('relata posts a sample through the receiver and follows its run to the end', async () => {
      const [trigger] = organizationOf(stack, 'Acme').triggers!;
      const tested = await checkout.relata('triggers', 'test', trigger!.id, '--json');
      expect(await tested.exited, tested.stderr()).toEqual({ code: 0, signal: null });
      expect(JSON.parse(tested.stdout())).toMatchObject({
        id,
        status: 202,
        runs: [{ workflow: 'inbound-lead', status: 'succeeded' }],
      });
    });

    test('every number on Today equals the number of rows in the tables (found B1)', async () => {
      const { id: orgId } = organizationOf(stack, 'Acme');
      const response = await fetch(`${stack.base_url}/console/api/orgs/${orgId}/today`, { headers: { cookie } });
      const { data } = (await response.json()) as {
        data: Record<'failed_runs' | 'waiting_runs' | 'problems' | 'unsent_demo_requests', number> & {
          hours: { deliveries: number; runs: { started: number; failed: number } }[];
          has_demo_data: boolean;
        };
      };
      const sum = (of: (hour: (typeof data.hours)[number]) => number) =>
        data.hours.reduce((all, hour) => all + of(hour), 0);
      const { deliveries, runs, failed, waiting } = await storedOf(orgId);
      expect(sum((hour) => hour.deliveries)).toBe(deliveries);
      expect(sum((hour) => hour.runs.started)).toBe(runs);
      expect(sum((hour) => hour.runs.failed)).toBe(failed);
      const rest = { failed_runs: failed, waiting_runs: waiting, problems: 1, unsent_demo_requests: 0 };
      expect(data).toMatchObject({ ...rest, has_demo_data: true });
    });

    test('mapping one more input and replaying the deliveries solves the current problem', async () => {
      const { id: orgId } = organizationOf(stack, 'Acme');
      const context = { database, bus: noopBus };
      const actor = operatorActor(orgId, 'test');
      const shop = (await listTriggers(database, orgId)).find(({ name }) => name === 'Shop orders')!;
      const workflow = (await listWorkflows(database, orgId)).find(({ name }) => name === 'shop-order')!;
      const inputs = {
        email: 'payload.email',
        first_name: 'payload.customer.first_name',
        last_name: 'payload.customer.last_name',
        total: 'payload.total_price',
        company: 'payload.customer.default_address.company',
      };
      await assignWorkflow(context, actor, { triggerId: shop.id, workflowId: workflow.id, inputs });
      const failed = await ask<{ delivery_id: string }>(
        `SELECT delivery_id FROM workflow_runs WHERE org_id = $1 AND status = 'failed'`,
        [orgId],
      );
      for (const { delivery_id } of failed) await replayDelivery(context, actor, delivery_id);
      await vi.waitFor(async () => {
        const replays = await ask<{ status: string }>('SELECT status FROM workflow_runs WHERE replay = 1');
        expect(replays.map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
      }, promised);
    });

    test('relata demo clear removes the demo data, and nothing that people created or changed (found B2)', async () => {
      const acme = organizationOf(stack, 'Acme');
      const find = async (email: string) =>
        ((await call('GET', `/v1/records/contacts?email=${email}`, keyOf('Acme'))).body as { data: { id: string }[] })
          .data;
      // A person changes one contact of the demo, and creates a record that refers to another.
      const [changed] = await find('maya@fjordsupply.example');
      const [named] = await find('priya@lumenlabs.example');
      await call('PATCH', `/v1/records/contacts/${changed!.id}`, keyOf('Acme'), { title: 'Buyer' });
      await call('POST', '/v1/activities/custom', keyOf('Acme'), { content: 'Called her', contact_ids: [named!.id] });
      const counts = async () =>
        (
          await ask<Record<string, number>>(
            `SELECT (SELECT count(*)::integer FROM webhook_deliveries) AS deliveries,
               (SELECT count(*)::integer FROM workflow_runs) AS runs, (SELECT count(*)::integer FROM demo_requests) AS requests,
               (SELECT count(*)::integer FROM webhook_triggers) AS triggers, (SELECT count(*)::integer FROM workflows) AS workflows`,
          )
        )[0]!;
      const before = await counts();
      const cleared = await checkout.relata('demo', 'clear', '--json');
      expect(await cleared.exited, cleared.stderr()).toEqual({ code: 0, signal: null });
      const [gone] = JSON.parse(cleared.stdout()) as Record<string, number>[];
      expect(gone).toMatchObject({
        org_id: acme.id,
        deliveries: 40,
        runs: 38,
        demo_requests: 1,
        triggers: 2,
        workflows: 2,
      });
      expect(await counts()).toEqual({
        deliveries: before['deliveries']! - 40,
        runs: before['runs']! - 38,
        requests: before['requests']! - 1,
        triggers: 2,
        workflows: 1,
      });
      expect(before['deliveries']).toBeGreaterThan(40);
      for (const kept of [
        'maya@fjordsupply.example',
        'priya@lumenlabs.example',
        'lead-0@example.com',
        'ada@robotics.example',
      ])
        expect(await find(kept), kept).toHaveLength(1);
      expect(await find('kenji@satoinstruments.example')).toEqual([]);
      expect(await ask('SELECT FROM demo_data')).toEqual([]);
      const counted = await ask<{ kind: string; n: number }>(
        'SELECT kind, sum(n)::integer AS n FROM trigger_minutes GROUP BY kind ORDER BY kind',
      );
      const { deliveries, runs } = await counts();
      expect(counted).toEqual([
        { kind: 'deliveries', n: deliveries },
        { kind: 'failed_runs', n: 0 },
        { kind: 'runs', n: runs },
      ]);
      const again = await checkout.relata('demo', 'clear', '--json');
      expect(JSON.parse(again.stdout())).toEqual([]);
    });
  });
}
