import { createOrganization } from '@relata/auth';
import { describeInBrowser } from '@relata/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Browser as Client, joinAsOperator } from '../../../console/src/console-client.harness.ts';
import { startWebConsole, type WebConsole, type TestPage, openPage } from './harness/console.harness.ts';

const html = '<img src=x onerror=alert(1)>';
const script = 'javascript:alert(document.domain)';
const unseen = 'invoice\u202Egnp\u200B.exe\u{E0041}';
const names = [html, script, unseen];
/** The text as pages show it. */
const seen = String.raw`invoice\u{202e}gnp\u{200b}.exe\u{e0041}`;
const seenNames = [html, script, seen];
const long = 'x'.repeat(100_000);

/** The posted body. JSON can hold a lone surrogate only as an escape. */
const body = `{"email":"ada@acme.example","html":${JSON.stringify(html)},"link":"${script}","name":"${unseen}",
  "${html}":"a name","lone":"before \\ud800 behind","long":"${long}"}`;

describeInBrowser('Foreign text in the console', (browser) => {
  let webConsole: WebConsole;
  let cookie: string;
  let client: Client;
  let ids: Record<'trigger' | 'delivery' | 'run' | 'workflow' | 'refusing', string>;
  beforeAll(async () => {
    webConsole = await startWebConsole();
    const { examples, orgId } = webConsole;
    cookie = await webConsole.join('admin', 'grace@acme.example');
    client = new Client(webConsole.url, cookie);
    const make = async (path: string, of: object) => {
      const { status, text } = await client.post(`/orgs/${orgId}${path}`, of);
      if (status !== 201) throw new Error(text);
    };
    for (const name of names) {
      await make('/keys', { kind: 'secret', name, scopes: ['records:read'] });
      await make('/triggers', { name });
      const member = { email: `m${names.indexOf(name)}@acme.example`, name, role: 'viewer' };
      await make('/members', member);
    }
    for (const name of names) await examples.delete('account', (await examples.account(name)).id);
    const trigger = await examples.trigger();
    await client.patch(`/orgs/${orgId}/triggers/${trigger}`, { name: html });
    const delivery = await examples.deliver(trigger, body, { 'x-from': html, referer: script });
    const runs = await examples.runs(3);
    for (const [at, name] of names.entries())
      await examples.fail([runs.ids[at]!], {
        step: 'log',
        code: 'bad_status',
        message: `It answered ${name} and more.`,
      });
    await client.patch('/me', { name: unseen });
    for (const [at, name] of names.entries()) await examples.publish({ description: name.repeat(at + 1) }, name);
    await examples.refusals(4, trigger);
    ids = { trigger, delivery, run: runs.ids[0]!, workflow: runs.workflowId, refusing: trigger };
    await client.patch(`/orgs/${orgId}`, { name: unseen });
  });
  afterAll(() => webConsole[Symbol.asyncDispose]());

  let shared: TestPage;
  beforeAll(async () => {
    shared = await openNoting(cookie);
    await shared.open('/nowhere');
  });
  afterAll(() => shared[Symbol.asyncDispose]());

  /** Opens a tab that records violations of its content security policy. */
  async function openNoting(as: string): Promise<TestPage> {
    const tab = await openPage(browser(), webConsole, { cookie: as });
    await tab.page.addInitScript(noteReports);
    return tab;
  }

  const pages: readonly (readonly [name: string, path: () => string, shown: readonly string[]])[] = [
    ['today', () => '', ['Latest runs']],
    ['triggers', () => '/triggers', seenNames],
    ['a trigger', () => `/triggers/${ids.trigger}`, [html, script]],
    ['the secrets of a trigger', () => `/triggers/${ids.trigger}?tab=secrets`, [html]],
    ['deliveries', () => '/deliveries', [html]],
    ['a delivery', () => `/deliveries?id=${ids.delivery}`, [html, script, seen, String.raw`before \ud800 behind`]],
    ['the fields of a delivery', () => `/deliveries?id=${ids.delivery}&show=fields`, [`payload.${html}`, script, seen]],
    ['refused requests', () => `/deliveries?outcome=refused&trigger=${ids.refusing}`, ['The secret is wrong.']],
    ['runs', () => '/runs', ['inbound-lead']],
    ['a run', () => `/runs/${ids.run}`, [`It answered ${html} and more.`]],
    ['problems', () => '/problems', seenNames.slice(2)],
    ['trash', () => '/trash', seenNames],
    ['a workflow', () => `/workflows/${ids.workflow}`, [seen]],
    ['the versions of a workflow', () => `/workflows/${ids.workflow}/versions`, seenNames],
    ['a comparison of two versions', () => `/workflows/${ids.workflow}/compare?a=2&b=3`, [html]],
    ['general', () => '/settings/general', [seen]],
    ['keys', () => '/settings/keys', seenNames],
    ['members', () => '/settings/members', seenNames],
    ['audit', () => '/settings/audit', seenNames],
    ['the account page', () => '/../../me', [seen]],
  ];

  test.each(pages)(
    '48: HTML, javascript: URLs and invisible characters in names and bodies are shown as visible text: %s',
    async (_name, path, shown) => {
      const { page } = shared;
      await shared.go('/nowhere');
      await page.getByRole('heading', { name: 'Page not found' }).waitFor();
      await shared.go(path());
      for (const text of shown) await page.getByText(text).filter({ visible: true }).first().waitFor();
      expect(await dangersOf(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    },
  );

  test('48: HTML and javascript: URLs are shown as text in the organization menu, the palette and dialogs', async () => {
    const hostile = [html, script];
    for (const name of hostile) await createOrganization(webConsole.console.db.database, name);
    await using tab = await openNoting(await joinAsOperator(webConsole.console.db));
    const { page } = tab;
    const expectText = async (shown: string) => {
      await page.getByText(shown).filter({ visible: true }).first().waitFor();
      expect(await dangersOf(page)).toEqual([]);
    };
    const leave = async (role: 'dialog' | 'alertdialog' | 'menu') => {
      await page.keyboard.press('Escape');
      await page.getByRole(role).waitFor({ state: 'detached' });
    };
    const choose = async (name: string, item: string) => {
      await page.getByRole('button', { name: `Actions for ${name}` }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await tab.open('/settings/keys');
    await page.getByRole('button', { name: /^Organization: / }).click();
    for (const name of hostile) await page.getByRole('menuitem', { name }).waitFor();
    await expectText(html);
    await leave('menu');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('alert');
    for (const name of hostile) await page.getByRole('option', { name }).first().waitFor();
    await expectText(html);
    await leave('dialog');
    for (const name of hostile)
      for (const [item, role] of [
        ['Rename', 'dialog'],
        ['Rotate', 'dialog'],
        ['Revoke', 'alertdialog'],
      ] as const) {
        await choose(name, item);
        await expectText(`${item} ${name}`);
        await leave(role);
      }
    await tab.go('/settings/members');
    for (const name of hostile)
      for (const [item, shown, role] of [
        ['Invite again', `Invite ${name} again`, 'dialog'],
        ['Withdraw invitation', `You can invite ${name} again.`, 'alertdialog'],
      ] as const) {
        await choose(name, item);
        await expectText(shown);
        await leave(role);
      }
    await tab.go(`/triggers/${ids.trigger}?tab=secrets`);
    for (const [act, shown] of [
      ['Edit', `Edit ${html}`],
      ['Use an API key', `Use an API key for ${html}`],
    ] as const) {
      await page.getByRole('button', { name: act }).click();
      await expectText(shown);
      await leave('dialog');
    }
  });

  test('48: an unpaired surrogate in a name is refused with a message', async () => {
    const { status, error } = await client.post(`/orgs/${webConsole.orgId}/triggers`, { name: 'before \ud800 behind' });
    expect([status, error.details]).toMatchObject([
      400,
      [{ field: 'name', message: 'Must not contain U+0000 or an unpaired surrogate.' }],
    ]);
  });

  test('48: a body with a text of 100,000 characters is shown in full on request, and does not widen the page', async () => {
    const { page } = shared;
    await shared.go(`/deliveries?id=${ids.delivery}`);
    await page.getByRole('button', { name: 'All 100002 characters' }).click();
    await page.getByText(`"${long}"`, { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Headers', exact: true }).click();
    await page.getByText(html, { exact: true }).last().waitFor();
    await page.getByRole('link', { name: 'Raw', exact: true }).click();
    // The page contains only the visible lines of a long text, so the test scrolls through all of them.
    const raw = page.getByRole('region', { name: 'Raw' });
    await raw.getByText(body.slice(0, 20)).waitFor();
    await raw.evaluate((box) => box.scrollTo(0, box.scrollHeight));
    await raw.getByText(body.slice(-20)).waitFor();
    expect(await dangersOf(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  });

  test('48: invisible characters in a name are also made visible in sentences, menus, messages and the palette', async () => {
    await using tab = await openPage(browser(), webConsole, { cookie });
    await tab.open('/settings/keys');
    await tab.page.getByText(`Programs use API keys to access ${seen}.`).waitFor();
    await tab.page.getByRole('button', { name: `Actions for ${seen}` }).click();
    await tab.page.getByRole('menuitem', { name: 'Revoke' }).click();
    const key = (await client.get(`/orgs/${webConsole.orgId}/keys`)).body.data.find(
      (each: { name: string }) => each.name === unseen,
    );
    await tab.page.getByLabel(`Type ${key.last_four} to confirm`).fill(key.last_four);
    await tab.page.getByRole('button', { name: 'Revoke key' }).click();
    const notice = tab.page.getByText(`${seen} revoked.`);
    await notice.waitFor();
    expect(await notice.count()).toBe(1);
    await tab.page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await tab.page.keyboard.press('Control+k');
    await tab.page.getByRole('combobox', { name: 'Search or go to' }).fill('invoice');
    await tab.page.getByRole('option').filter({ hasText: seen }).filter({ hasText: 'trigger' }).waitFor();
    expect(await dangersOf(tab.page)).toEqual([]);
  });

  test('48: a name of 100,000 characters is refused beside its field and stays in it, and nothing is created', async () => {
    await using tab = await openPage(browser(), webConsole, { cookie });
    const { page } = tab;
    await tab.open('/settings/general');
    await page.getByLabel('Name', { exact: true }).fill(long);
    await page.getByRole('button', { name: 'Save name' }).click();
    await page.getByText('Must have at most 255 characters.').waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe(long);
    const { body: now } = await client.get(`/orgs/${webConsole.orgId}`);
    expect(now.data.name).toBe(unseen);
    await tab.open('/settings/keys');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill(long);
    await page.getByRole('dialog').getByRole('checkbox', { name: 'records:read' }).check();
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await page.getByText('Must have at most 255 characters.').waitFor();
    expect((await client.get(`/orgs/${webConsole.orgId}/keys`)).body.data).toHaveLength(names.length);
  });
});

interface Reports {
  reports: string[];
}

/** Records violations of the content security policy. Runs in the page before its scripts. */
function noteReports(): void {
  const noted = Object.assign(window, { reports: [] as string[] });
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
    noted.reports.push(`${violatedDirective} ${blockedURI}`),
  );
}

/** Returns elements, links, policy violations and invisible characters that foreign text has added to the page. */
const dangersOf = (page: Page) =>
  page.evaluate(() => {
    const elements = [...document.querySelectorAll('*')];
    const acting = elements.filter(
      ({ tagName, attributes }) =>
        /^(IMG|IFRAME|OBJECT|EMBED|BASE)$/.test(tagName) ||
        [...attributes].some(({ name }) => /^(on|src(doc)?$|action$|formaction$)/.test(name) && tagName !== 'SCRIPT'),
    );
    const links = [...document.querySelectorAll('a')].filter(({ href }) => href !== '' && !/^https?:/.test(href));
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const shown = elements.flatMap((element) => [element.getAttribute('title'), element.getAttribute('aria-label')]);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) shown.push(node.textContent);
    const hidden = [...shown, document.title].filter((text) => text && /[\p{DI}\p{Cs}]/u.test(text));
    return [
      ...acting.map(({ outerHTML }) => outerHTML.slice(0, 200)),
      ...links.map(({ href }) => `leads to ${href}`),
      ...((window as unknown as Partial<Reports>).reports ?? []),
      ...hidden.map((text) => `has invisible characters: ${text}`),
    ];
  });
