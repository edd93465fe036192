import type { Role } from '@relata/schemas/console';
import { describeInBrowser, until } from '@relata/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { guideExamples } from '../workflows/guide/guide.ts';
import { startWebConsole, type WebConsole, openPage } from './harness/console.harness.ts';
import { waitingRequests } from './harness/waiting.harness.ts';

interface Ids {
  trigger: string;
  delivery: string;
  failed: string;
  queued: string;
  workflow: string;
}

/**
 * Actions that a page offers to a role in addition to those of the next lower role. Without a list for admins, their
 * actions are not checked.
 */
interface Offered {
  member?: readonly string[];
  admin?: readonly string[];
  /** Set if only admins may see the page. */
  isForAdmins?: true;
}

const ofTrigger = ['Edit', 'Disable'];
const settings = ['General', 'API keys', 'Members', 'Audit log'];
const ofGuide = ['Documentation of workflows (new tab)', ...guideExamples.map(({ name }) => `Use example ${name}`)];
const ofMenu = (name: string, ...items: string[]) => [
  `Actions for ${name}`,
  ...items.map((item) => `${name}: ${item}`),
];

/** Each page, an element that appears once it has loaded, and the actions of each role on it. */
const pages: readonly (readonly [path: (ids: Ids) => string, shown: string, offered: Offered])[] = [
  [() => '', 'role=table[name="Problems"]', { member: ['Review and retry'] }],
  [() => '/triggers', 'role=table[name="Triggers"]', { admin: ['Create trigger'] }],
  [
    ({ trigger }) => `/triggers/${trigger}`,
    'text=ada@acme.example',
    { admin: [...ofTrigger, 'Use all of payload', 'email "ada@acme.example"', 'a "b"', 'a time', 'Save mapping'] },
  ],
  [({ trigger }) => `/triggers/${trigger}?tab=setup`, 'text=Set up the sender', { admin: ofTrigger }],
  [
    ({ trigger }) => `/triggers/${trigger}?tab=starts`,
    'role=heading[name="Workflows"]',
    { admin: [...ofTrigger, 'Edit mapping', 'Unassign'] },
  ],
  [
    ({ trigger }) => `/triggers/${trigger}?tab=secrets`,
    'role=table[name="Secrets"]',
    { admin: [...ofTrigger, 'Rotate secret', 'Use an API key'] },
  ],
  [() => '/deliveries', 'role=table[name="Deliveries"]', {}],
  [({ delivery }) => `/deliveries?id=${delivery}`, 'text=Copy raw', { member: ['Replay'], admin: ['Use as sample'] }],
  [() => '/runs', 'role=table[name="Runs"]', {}],
  [
    ({ failed }) => `/runs/${failed}`,
    'text=Run failed',
    {
      member: ['Retry', 'Retry with v2', 'Replay delivery'],
      admin: ['Edit workflow', 'Fix mapping'],
    },
  ],
  [({ queued }) => `/runs/${queued}`, 'text=queued', { member: ['Cancel run', 'Replay delivery'] }],
  [
    () => '/problems',
    'role=table[name="Problems"]',
    {
      member: [
        'Retry 1 of inbound-lead at log, bad_status',
        ...ofMenu('inbound-lead at log, bad_status', 'Resolve', 'Ignore'),
      ],
    },
  ],
  [() => '/trash', 'role=table[name="Deleted records"]', { member: ['Restore Some Body'] }],
  [() => '/workflows', 'role=table[name="Workflows"]', { admin: ['New workflow'] }],
  [({ workflow }) => `/workflows/${workflow}`, 'role=region[name="Steps"]', { admin: ['Edit'] }],
  [
    ({ workflow }) => `/workflows/${workflow}/versions`,
    'role=table[name="Versions"]',
    { admin: ['Edit', 'Restore version 1'] },
  ],
  [
    ({ workflow }) => `/workflows/${workflow}/edit`,
    'role=textbox[name="Definition (JSON)"]',
    { admin: ['Edit', 'Check', 'Show changes', 'Publish version 3', ...ofGuide], isForAdmins: true },
  ],
  [
    () => '/workflows/new',
    'role=textbox[name="Definition (JSON)"]',
    { admin: ['Check', 'Publish version 1', ...ofGuide], isForAdmins: true },
  ],
  [
    () => '/settings/general',
    'text=Your role',
    { admin: ['API keys', 'Members', 'Audit log', 'Save name', 'Save channel'] },
  ],
  [
    () => '/settings/keys',
    'role=table[name="Keys"]',
    {
      admin: [...settings, 'Create key', ...ofMenu('Example', 'Rename', 'Rotate', 'Revoke', 'View activity')],
      isForAdmins: true,
    },
  ],
  [
    () => '/settings/members',
    'role=table[name="Members"]',
    {
      admin: [
        ...settings,
        'Invite member',
        ...['viewer', 'member', 'admin'].flatMap((role) => ofMenu(`Test ${role}`, 'Change role', 'Remove')),
        ...ofMenu('Some Body', 'Invite again', 'Withdraw invitation'),
      ],
      isForAdmins: true,
    },
  ],
  [() => '/settings/audit', 'role=table[name="Audit events"]', { isForAdmins: true }],
];

/** Names of actions that only some roles have. `verbs` matches such actions that are missing from this list. */
const acts = new Set(
  pages.flatMap(([, , { member = [], admin = [] }]) => [...member, ...admin.slice(settings.length)]),
);
const verbs =
  /^(Create|Edit|Disable|Enable|Save|Change|Unassign|Rotate|Use|Replay|Retry|Cancel|New|Restore|Publish|Invite|Remove|Revoke)/;

describeInBrowser('Actions by role', (browser) => {
  let webConsole: WebConsole;
  let ids: Ids;
  beforeAll(async () => {
    webConsole = await startWebConsole();
    const { examples } = webConsole;
    const { triggerId: trigger, ids: runs } = await examples.runs(2);
    await examples.fail([runs[0]!], { step: 'log', code: 'bad_status', message: 'It answered 503.' });
    const delivery = await examples.deliver(trigger, '{"email":"ada@acme.example"}');
    const workflow = await examples.workflow();
    await examples.publish({ description: 'Another version' });
    ids = { trigger, delivery, failed: runs[0]!, queued: runs[1]!, workflow };
    await examples.trashed();
    await examples.key();
    await examples.member();
  });
  afterAll(() => webConsole[Symbol.asyncDispose]());

  /** Returns the actions that a role can click, by page. */
  async function lookEverywhere(cookie: string, role: Role): Promise<Map<string, Set<string>>> {
    await using tab = await openPage(browser(), webConsole, { cookie });
    const found = new Map<string, Set<string>>();
    const waiting = waitingRequests(tab.page);
    await tab.open('/nowhere');
    for (const [pathOf, shown, offered] of pages) {
      // The expected text may also be on the previous page.
      await tab.go('/nowhere');
      await tab.page.getByRole('heading', { name: 'Page not found' }).waitFor();
      await tab.go(pathOf(ids));
      const isRefused = offered.isForAdmins && role !== 'admin';
      await tab.page
        .locator(isRefused ? 'role=heading[name="Admins only"]' : shown)
        .first()
        .waitFor();
      // Waits for everything to load, because the last element may be an action that this role must not have.
      await until(() => expect([...waiting]).toEqual([]));
      await tab.page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
      found.set(pathOf(ids), await untilOffered(tab.page, role, offered));
    }
    return found;
  }

  test('9: no page offers changes to viewers; members can work with data, and only admins can manage the organization', async () => {
    const cookies = new Map<Role, string>();
    for (const role of roles) cookies.set(role, await webConsole.join(role, `${role}@acme.example`));
    const found = new Map<Role, Map<string, Set<string>>>();
    for (const [role, cookie] of cookies) found.set(role, await lookEverywhere(cookie, role));
    for (const [pathOf, , { member = [], admin }] of pages) {
      const path = pathOf(ids);
      const [viewers, members, admins] = roles.map((role) => found.get(role)!.get(path)!);
      const forAll = [...viewers!].filter((name) => verbs.test(name) || (acts.has(name) && name !== 'a time'));
      expect(forAll, `${path}: viewers`).toEqual([]);
      expect([...members!.difference(viewers!)].toSorted(), `${path}: members`).toEqual(member.toSorted());
      const manage = [...admins!.difference(members!)].filter((name) => name !== forPages).toSorted();
      expect(manage, `${path}: admins`).toEqual(admin?.toSorted() ?? manage);
    }
  });
});

const roles = ['viewer', 'member', 'admin'] as const;

/** Action that every page has for each role that can open the page. */
const forPages = 'Copy link';

/** Returns the offered actions once all expected ones have appeared, because some depend on loaded data. */
async function untilOffered(page: Page, role: Role, { member = [], admin = [] }: Offered): Promise<Set<string>> {
  const wanted = role === 'viewer' ? [] : role === 'member' ? member : [...member, ...admin];
  return until(async () => {
    const found = new Set(await actsOf(page));
    expect(wanted.filter((act) => !found.has(act))).toEqual([]);
    return found;
  });
}

/** Returns the names of visible actions, including those in the menus of rows. */
async function actsOf(page: Page): Promise<string[]> {
  const acts = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('main :is(button, a[href])')]
      .filter((element) => element.checkVisibility({ visibilityProperty: true }))
      .map((element) => {
        const copy = element.cloneNode(true) as HTMLElement;
        for (const hidden of copy.querySelectorAll('[aria-hidden]')) hidden.remove();
        return element.ariaLabel ?? copy.textContent.trim().replace(/^\d\d:\d\d:\d\d$/, 'a time');
      }),
  );
  for (const menu of await page.getByRole('button', { name: /^Actions for / }).all()) {
    const name = (await menu.getAttribute('aria-label'))!.replace('Actions for ', '');
    const items = page.getByRole('menuitem');
    // A menu of a row closes when its list is read again.
    await until(async () => {
      if ((await items.count()) === 0) await menu.click();
      await items.first().waitFor({ timeout: 2_000 });
    });
    acts.push(...(await items.allTextContents()).map((item) => `${name}: ${item}`));
    await page.keyboard.press('Escape');
    await items.first().waitFor({ state: 'detached' });
  }
  return acts;
}
