import { describeInBrowser } from '@relata/testing';
import { afterAll, beforeAll, test } from 'vitest';
import { startWebConsole, type WebConsole, type TestPage, openPage } from './harness/console.harness.ts';
import { expectSound } from './harness/sound.harness.ts';

interface Ids {
  trigger: string;
  /** Id of a trigger that has received a delivery. */
  mapped: string;
  delivery: string;
  run: string;
  workflow: string;
  refusing: string;
}

/** Each page with a text that appears once the page has loaded. No neighbour in this list has the same text. */
const pages: readonly (readonly [name: string, path: (ids: Ids) => string, shown: string])[] = [
  ['today', () => '', 'text=Latest runs'],
  ['triggers', () => '/triggers', 'role=table[name="Triggers"]'],
  ['a trigger', ({ trigger }) => `/triggers/${trigger}`, 'text=No deliveries yet'],
  ['the setup of a trigger', ({ trigger }) => `/triggers/${trigger}?tab=setup`, 'text=Waiting for the first request'],
  ['the workflows of a trigger', ({ trigger }) => `/triggers/${trigger}?tab=starts`, 'text=Edit mapping'],
  ['the secrets of a trigger', ({ trigger }) => `/triggers/${trigger}?tab=secrets`, 'role=table[name="Secrets"]'],
  ['a mapping', ({ mapped }) => `/triggers/${mapped}`, 'text=The last delivery would start the workflow'],
  ['deliveries', () => '/deliveries', 'role=table[name="Deliveries"]'],
  ['a delivery', ({ delivery }) => `/deliveries?id=${delivery}`, 'text=Copy raw'],
  ['runs', () => '/runs', 'role=table[name="Runs"]'],
  ['no matching runs', () => '/runs?status=waiting', 'text=No matching'],
  ['a failed run', ({ run }) => `/runs/${run}`, 'text=Steps'],
  ['a run that does not exist', () => '/runs/019a1b2c-0000-7000-8000-000000000001', 'text=Page not found'],
  ['workflows', () => '/workflows', 'role=table[name="Workflows"]'],
  ['a workflow', ({ workflow }) => `/workflows/${workflow}`, 'text=activity.create'],
  ['the versions of a workflow', ({ workflow }) => `/workflows/${workflow}/versions`, 'role=table[name="Versions"]'],
  ['a comparison of two versions', ({ workflow }) => `/workflows/${workflow}/compare?a=1&b=2`, 'text=unchanged lines'],
  [
    'the editor of a workflow',
    ({ workflow }) => `/workflows/${workflow}/edit`,
    'role=textbox[name="Definition (JSON)"]',
  ],
  ['a new workflow', () => '/workflows/new', 'role=textbox[name="Definition (JSON)"]'],
  [
    'no matching runs for a cause with a long name',
    () => '/runs?status=failed&step=notify-the-team-channel-of-sales&code=outbound_bad_status_of_a_partner',
    'text=No matching',
  ],
  ['problems', () => '/problems', 'role=table[name="Problems"]'],
  [
    'refused requests',
    ({ refusing }) => `/deliveries?outcome=refused&trigger=${refusing}`,
    'role=table[name="Refused requests"]',
  ],
  [
    'no refused requests',
    ({ trigger }) => `/deliveries?outcome=refused&trigger=${trigger}`,
    'text=No refused requests',
  ],
  ['trash', () => '/trash', 'role=table[name="Deleted records"]'],
  ['general', () => '/settings/general', 'text=Your role'],
  ['keys', () => '/settings/keys', 'role=table[name="Keys"]'],
  ['members', () => '/settings/members', 'role=table[name="Members"]'],
  ['audit', () => '/settings/audit', 'role=table[name="Audit events"]'],
  ['the account page', () => '/../../me', 'role=table[name="Sessions"]'],
  ['an unknown page', () => '/nowhere', 'text=Page not found'],
];

describeInBrowser('Every page of the console', (browser) => {
  let webConsole: WebConsole;
  let ids: Ids;
  let shared: TestPage;
  beforeAll(async () => {
    webConsole = await startWebConsole();
    const { examples } = webConsole;
    const mapped = await examples.trigger();
    await examples.deliver(mapped, '{"email":"ada@acme.example"}');
    ids = {
      trigger: await examples.trigger(),
      mapped,
      delivery: await examples.delivery(),
      run: await examples.run('failed'),
      refusing: (await examples.refusals(2)).triggerId,
      workflow: await examples.workflow(),
    };
    await examples.publish({ description: 'Another version' });
    const ada = { first_name: 'Ada', last_name: 'Lovelace' };
    await examples.merge(await examples.contact(ada), await examples.contact(ada));
    await examples.key();
    await examples.member();
    shared = await openPage(browser(), webConsole, { cookie: await webConsole.join('admin', 'grace@acme.example') });
    await shared.open('/nowhere');
  });
  afterAll(async () => {
    await shared[Symbol.asyncDispose]();
    await webConsole[Symbol.asyncDispose]();
  });

  test.each(pages)(
    '54, 55, 57, 61: axe finds no fault in either theme, at 1280 and 320 px; at 320 px tables are cards, nothing scrolls sideways and all actions remain; no text is lost at twice the text size: %s',
    async (name, path, shown) => {
      await shared.go(path(ids));
      await shared.page.locator(shown).first().waitFor();
      await expectSound(shared.page, name);
    },
  );

  test('54, 55, 57: the message of a page for other roles passes the same checks', async () => {
    await using tab = await openPage(browser(), webConsole, {
      cookie: await webConsole.join('viewer', 'vera@acme.example'),
    });
    await tab.open('/settings/keys');
    await tab.page.getByRole('heading', { name: 'Admins only' }).waitFor();
    await expectSound(tab.page, 'a page for other roles');
  });

  test('54, 55, 57: the pages for signing in and for each kind of link pass the same checks, also for an expired link', async () => {
    await using tab = await openPage(browser(), webConsole);
    const { page } = tab;
    const invitation = await webConsole.examples.invitation('new@acme.example');
    const doors: readonly (readonly [path: string, heading: string])[] = [
      ['sign-in', 'Sign in'],
      ['enter', 'Open your link'],
      [`enter#${await webConsole.examples.link()}`, 'Set up the console'],
      [`enter#${invitation}`, 'Join Acme'],
      [`enter#${await webConsole.examples.resetLink('grace@acme.example')}`, 'Set a new password'],
      ['enter#relata_lnk_ended', 'This link was used or has expired'],
    ];
    for (const [path, heading] of doors) {
      await page.goto(`${webConsole.url}/console/${path}`);
      await page.getByRole('heading', { name: heading }).waitFor();
      await expectSound(page, heading);
    }
  });
});
