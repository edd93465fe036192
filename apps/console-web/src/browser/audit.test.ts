import { type ConsoleOperations, consoleOperations, type ConsoleSpec } from '@relata/schemas/console';
import { describeInBrowser, natsUrl } from '@relata/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { relata } from '../../../cli/src/cli.harness.ts';
import { notifyKeys } from '../../../console/src/console.harness.ts';
import { startWebConsole, type WebConsole, type TestPage, openPage } from './harness/console.harness.ts';

/** Each operation that changes something in an organization. */
type Acting = {
  [Id in keyof ConsoleOperations]: ConsoleOperations[Id] extends { method: 'get' } | { onlyReads: true }
    ? never
    : ConsoleOperations[Id]['path'] extends `${string}/{org}${string}`
      ? Id
      : never;
}[keyof ConsoleOperations];

/** The request of an action, and its audit entry: the action, and each field before and after. */
interface Shortcut {
  id?: string;
  body: object;
  shown: RegExp;
}

const definition = {
  name: 'audited',
  inputs: {},
  steps: [{ id: 'log', use: 'activity.create', with: { content: 'a' } }],
};
const credential = /relata_(?:sk|pk|whs|lnk)_[0-9A-Za-z]{38}/g;

describeInBrowser('The audit log', (browser) => {
  let webConsole: WebConsole;
  let tab: TestPage;
  const credentials: string[] = [];
  beforeAll(async () => {
    webConsole = await startWebConsole({ notifyKeys });
    tab = await openPage(browser(), webConsole, { cookie: await webConsole.join('admin', 'grace@acme.example') });
    await tab.open('/settings/audit');
  });
  afterAll(async () => {
    await tab[Symbol.asyncDispose]();
    await webConsole[Symbol.asyncDispose]();
  });

  /** Sends a request from within the page, and keeps the secrets of the response to search for them later. */
  async function send(operation: Acting, { id, body }: Shortcut): Promise<{ data: Record<string, { id: string }> }> {
    const { method, path } = consoleOperations[operation] as ConsoleSpec;
    const address = path.replace('{org}', webConsole.orgId).replace('{id}', id ?? '');
    const { status, text } = await tab.page.evaluate(ask, [
      method.toUpperCase(),
      address,
      JSON.stringify(body),
    ] as const);
    expect([200, 201], `${operation}: ${text}`).toContain(status);
    credentials.push(...(text.match(credential) ?? []));
    return JSON.parse(text);
  }

  const rowsOf = (page: Page) => page.getByRole('table', { name: 'Audit events' }).locator('tbody tr').allInnerTexts();

  test('52: the audit log shows who made each change, what it was, the values before and after, and no secret', async () => {
    const { examples } = webConsole;
    await webConsole.join('viewer', 'kay@acme.example');
    const key = await examples.key();
    const trigger = await examples.emptyTrigger('Form');
    const kay = await memberNamed('kay@acme.example');
    const runs = await examples.runs(1);
    const problem = await examples.runs(2);
    await examples.fail(problem.ids, { step: 'log', code: 'bad_status', message: 'no' });
    await examples.fail((await examples.runs(1)).ids, { step: 'log', code: 'other', message: 'no' });
    const workflow = await examples.workflow();
    const audited = (await send('createWorkflow', { body: textOf(definition), shown: /./ })).data as unknown as {
      id: string;
    };
    const failed = await examples.run('failed');
    const acts: Record<Acting, Shortcut> = {
      updateOrganization: { body: { name: 'Acme Two' }, shown: /organization updated.*name Acme → Acme Two/ },
      setNotifyChannel: {
        body: { url: 'https://hooks.slack.com/services/tok-5ecret' },
        shown: /notify channel created.*hooks\.slack\.com.*kind – → slack/,
      },
      testNotifyChannel: { body: {}, shown: /notify channel tested.*hooks\.slack\.com/ },
      removeNotifyChannel: { body: {}, shown: /notify channel removed.*hooks\.slack\.com.*kind slack → –/ },
      createKey: {
        body: { kind: 'secret', name: 'Zapier', scopes: ['records:read'] },
        shown: /api key created.*Zapier.*kind – → secret.*scopes – → \["records:read"\]/,
      },
      updateKey: { id: key, body: { name: 'Other' }, shown: /api key updated.*Other.*name Example → Other/ },
      rotateKey: { id: key, body: { overlap_seconds: 60 }, shown: /api key rotated.*expires_at – → 2/ },
      revokeKey: { id: await examples.key(), body: {}, shown: /api key revoked.*Example.*revoked_at – → 2/ },
      inviteMember: {
        body: { email: 'new@acme.example', name: 'Some New', role: 'viewer' },
        shown: /member invited.*Some New.*email – → new@acme.example.*role – → viewer/,
      },
      setMemberRole: { id: kay, body: { role: 'member' }, shown: /member role changed.*role viewer → member/ },
      removeMember: { id: await examples.member(), body: {}, shown: /member removed.*email m\S+@acme.example → –/ },
      restoreFromTrash: {
        id: await examples.trashed(),
        body: {},
        shown: /contact restored.*Body.*first_name – → Some/,
      },
      eraseRecord: {
        id: await examples.trashed(),
        body: { resource: 'contact' },
        shown: /contact erased.*Content erased/,
      },
      createTrigger: { body: { name: 'Shop' }, shown: /trigger created.*Shop.*mode – → unique.*active – → true/ },
      updateTrigger: { id: trigger, body: { active: false }, shown: /trigger updated.*Form.*active true → false/ },
      rotateTriggerSecret: {
        id: trigger,
        body: { overlap_seconds: 60 },
        shown: /trigger secret rotated.*Form.*secret changed \(hidden\)/,
      },
      replaceVerifyToken: {
        id: await examples.triggerWithToken(),
        body: {},
        shown: /trigger updated.*Leads.*verify_token changed \(hidden\)/,
      },
      selectTriggerKey: {
        id: await examples.emptyTrigger('By a key'),
        body: { key_id: await examples.key() },
        shown: /trigger updated.*By a key.*mode unique → shared.*key_id – → [0-9a-f-]{36}/,
      },
      assignWorkflow: {
        id: trigger,
        body: { workflow_id: workflow, inputs: { email: 'payload.email' } },
        shown: /trigger assigned.*Form.*workflow – → inbound-lead.*inputs – → \{"email":"payload.email"\}/,
      },
      unassignWorkflow: {
        id: runs.triggerId,
        body: { workflow_id: runs.workflowId },
        shown: /trigger unassigned.*Form.*workflow inbound-lead → –.*inputs \{"email":"payload.email"\} → –/,
      },
      replayDelivery: {
        id: await examples.delivery(),
        body: {},
        shown: /delivery replayed.*Form.*runs – → \["[0-9a-f-]{36}"\]/,
      },
      cancelRun: { id: runs.ids[0]!, body: {}, shown: /run cancelled.*inbound-lead.*status queued → cancelled/ },
      retryRuns: { body: { ids: [failed] }, shown: /run retried.*inbound-lead.*status failed → queued/ },
      setProblemState: {
        body: { workflow: problem.workflowId, step: 'log', code: 'bad_status', state: 'ignored' },
        shown: /problem ignored.*inbound-lead.*state open → ignored/,
      },
      replayProblem: {
        body: { workflow: problem.workflowId, step: 'log', code: 'other' },
        shown: /delivery replayed.*Form.*runs – → \["[0-9a-f-]{36}"\]/,
      },
      retryProblem: {
        body: { workflow: problem.workflowId, step: 'log', code: 'bad_status' },
        shown: /run retried.*inbound-lead.*status failed → queued/,
      },
      createWorkflow: {
        body: textOf({ ...definition, name: 'another' }),
        shown: /workflow applied.*another.*version – → 1/,
      },
      publishWorkflow: {
        id: audited.id,
        body: { ...textOf({ ...definition, description: 'tok-5ecret' }), base_version: 1 },
        shown: /workflow applied.*audited.*version 1 → 2.*definition changed \(hidden\)/,
      },
    };
    const before = await eventsOf();
    for (const [operation, act] of Object.entries(acts) as [Acting, Shortcut][]) {
      const known = new Set((await eventsOf()).map(({ id }) => id));
      await send(operation, act);
      const made = (await eventsOf()).filter(({ id }) => !known.has(id));
      expect(made.length, operation).toBeGreaterThan(0);
      for (const { actor } of made) expect(actor).toMatchObject({ type: 'user', name: 'Test admin' });
    }
    expect((await eventsOf()).length - before.length).toBeGreaterThanOrEqual(Object.keys(acts).length);

    // The page contains only the rows of a long list that are in view, so the window must be tall.
    await tab.page.setViewportSize({ width: 1_280, height: 10_000 });
    await tab.page.reload();
    await tab.page.getByRole('button', { name: 'Show older' }).click();
    await tab.page.getByText(/^\d+ events$/).waitFor();
    const rows = (await rowsOf(tab.page)).map((row) => row.replaceAll(/\s+/g, ' '));
    for (const [operation, { shown }] of Object.entries(acts)) {
      const own = rows.filter((row) => row.includes('Test admin') && shown.test(row));
      expect(own.length, `${operation} as ${shown}`).toBeGreaterThan(0);
    }
    expect(rows.filter((row) => acts.retryProblem.shown.test(row))).toHaveLength(3);

    expect(credentials.length).toBeGreaterThan(3);
    const everything = rows.join('\n') + JSON.stringify(await eventsOf()) + (await tab.page.content());
    for (const secret of credentials) expect(everything).not.toContain(secret.slice(-12));
    expect(everything).not.toMatch(credential);
    expect(everything).not.toContain('tok-5ecret');
  });

  test('a changed mapping shows only the changed inputs, a deleted record only its filled fields, and the actor filter names the actor', async () => {
    const trigger = await webConsole.examples.emptyTrigger('Shop');
    const inputs = { email: { type: 'string' }, company: { type: 'string' } };
    const applied = await send('createWorkflow', {
      body: textOf({ ...definition, name: 'mapped', inputs }),
      shown: /./,
    });
    const { id: workflow_id } = applied.data as unknown as { id: string };
    const assign = (mapped: object) =>
      send('assignWorkflow', { id: trigger, body: { workflow_id, inputs: mapped }, shown: /./ });
    await assign({ email: 'payload.email' });
    await assign({ email: 'payload.email', company: 'payload.company' });
    await webConsole.examples.delete('account', (await webConsole.examples.account('Initech')).id);
    await tab.open(`/settings/audit?record=${trigger}`);
    const changes = tab.page.getByRole('row').filter({ hasText: 'trigger assigned' }).first().getByRole('listitem');
    await changes.first().waitFor();
    expect(await changes.allInnerTexts()).toEqual(['inputs.company – → payload.company']);
    await tab.page.getByRole('button', { name: 'Remove filter: Record Shop' }).click();
    const made = tab.page.getByRole('row').filter({ hasText: 'account deleted' }).first();
    expect(await made.innerText()).not.toMatch(/\[\]|– → –|null/);
    await tab.page.getByRole('button', { name: 'Test admin' }).first().click();
    await tab.page.getByRole('button', { name: 'Remove filter: By Test admin' }).waitFor();
  });

  test('52: a change made with the command-line tool appears in the audit log', async () => {
    const args = ['orgs', 'rename', 'Acme by the tool', '--org', webConsole.orgId];
    const { code, stderr } = await relata(args, {
      env: { DATABASE_URL: webConsole.console.db.url, NATS_URL: natsUrl() },
    });
    expect([code, stderr]).toEqual([0, '']);
    await tab.open('/settings/audit');
    const row = tab.page.getByRole('row').filter({ hasText: 'Acme by the tool' }).first();
    expect((await row.innerText()).replaceAll(/\s+/g, ' ')).toMatch(
      /Operator \(CLI\) organization updated.*name Acme.* → Acme by the tool/,
    );
  });

  const read = (path: string) =>
    tab.page.evaluate(
      async (address) => (await (await fetch(address)).json()).data,
      `/console/api/orgs/${webConsole.orgId}${path}`,
    );
  const eventsOf = async (): Promise<{ id: string; actor: object }[]> => read('/audit?limit=100');
  const memberNamed = async (email: string): Promise<string> =>
    (await read('/members')).find((member: { email: string }) => member.email === email).id;
});

const textOf = (of: object) => ({ text: JSON.stringify(of) });

/** Sends a request. Runs in the page. */
async function ask([method, address, body]: readonly [method: string, address: string, body: string]) {
  const response = await fetch(address, { method, body, headers: { 'content-type': 'application/json' } });
  return { status: response.status, text: await response.text() };
}
