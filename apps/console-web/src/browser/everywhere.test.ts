import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeInBrowser } from '@relata/testing';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildConsole, putInPlace } from '../../build.ts';
import { openSite, type Site, type Visit, visit } from './harness/console.harness.ts';
import { expectNothingLostAtTwice } from './harness/text-size.harness.ts';

const wide = { width: 1280, height: 800 };
const phone = { width: 320, height: 640 };

interface Ids {
  trigger: string;
  /** One to which something was posted. */
  mapped: string;
  delivery: string;
  run: string;
  workflow: string;
  refusing: string;
}

/** Each page, and what is there once it has loaded. */
const pages: readonly (readonly [name: string, path: (ids: Ids) => string, shown: string])[] = [
  ['today', () => '', 'text=Latest runs'],
  ['triggers', () => '/triggers', 'role=table[name="Triggers"]'],
  ['a trigger', ({ trigger }) => `/triggers/${trigger}`, 'text=Nothing came in yet.'],
  ['a trigger’s starts', ({ trigger }) => `/triggers/${trigger}?tab=starts`, 'text=Change the mapping'],
  ['a trigger’s secrets', ({ trigger }) => `/triggers/${trigger}?tab=secrets`, 'role=table[name="Secrets"]'],
  ['a mapping', ({ mapped }) => `/triggers/${mapped}`, 'text=The last delivery starts it'],
  ['deliveries', () => '/deliveries', 'role=table[name="Deliveries"]'],
  ['a delivery', ({ delivery }) => `/deliveries?id=${delivery}`, 'text=Copy raw'],
  ['runs', () => '/runs', 'role=table[name="Runs"]'],
  ['runs of which there are none', () => '/runs?status=waiting', 'text=Nothing matches.'],
  ['a run that failed', ({ run }) => `/runs/${run}`, 'text=Steps'],
  ['a run that is none', () => '/runs/019a1b2c-0000-7000-8000-000000000001', 'text=Not found here'],
  ['workflows', () => '/workflows', 'role=table[name="Workflows"]'],
  ['a workflow', ({ workflow }) => `/workflows/${workflow}`, 'text=activity.create'],
  ['its versions', ({ workflow }) => `/workflows/${workflow}/versions`, 'role=table[name="Versions"]'],
  ['two of them', ({ workflow }) => `/workflows/${workflow}/compare?a=1&b=2`, 'text=lines that are the same'],
  ['a new version', ({ workflow }) => `/workflows/${workflow}/edit`, 'role=textbox[name="Definition, in JSON"]'],
  ['a new workflow', () => '/workflows/new', 'role=textbox[name="Definition, in JSON"]'],
  [
    'runs of a cause with a long name, of which there are none',
    () => '/runs?status=failed&step=notify-the-team-channel-of-sales&code=outbound_bad_status_of_a_partner',
    'text=Nothing matches.',
  ],
  ['problems', () => '/problems', 'role=table[name="Problems"]'],
  [
    'refused posts',
    ({ refusing }) => `/deliveries?outcome=refused&trigger=${refusing}`,
    'role=table[name="Refused posts"]',
  ],
  [
    'refused posts of which there are none',
    ({ trigger }) => `/deliveries?outcome=refused&trigger=${trigger}`,
    'text=Nothing was refused.',
  ],
  ['general', () => '/settings/general', 'text=Your role'],
  ['keys', () => '/settings/keys', 'role=table[name="Keys"]'],
  ['members', () => '/settings/members', 'role=table[name="Members"]'],
  ['audit', () => '/settings/audit', 'role=table[name="Changes"]'],
  ['the person', () => '/../../me', 'role=table[name="Sessions"]'],
  ['nowhere', () => '/nowhere', 'text=Not found here'],
];

describeInBrowser('Every page of the console', (browser) => {
  let site: Site;
  let cookie: string;
  let ids: Ids;
  let shared: Visit;
  beforeAll(async () => {
    site = await openSite();
    cookie = await site.join('admin', 'grace@acme.example');
    const { examples } = site;
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
    await examples.key();
    await examples.member();
    shared = await visit(browser(), site, { cookie });
  });
  afterAll(async () => {
    await shared[Symbol.asyncDispose]();
    await site[Symbol.asyncDispose]();
  });

  test.each(pages)(
    '54, 55, 57, 61: axe finds nothing in either theme, nor at 320 px, where nothing scrolls sideways; text of twice the size is not lost: %s',
    async (name, path, shown) => {
      await shared.open(path(ids));
      await shared.page.locator(shown).first().waitFor();
      await expectSound(shared.page, name);
    },
  );

  test('54, 55, 57: nor with dialogs, the menu, the palette or the help open, nor where nobody is signed in', async () => {
    await using tab = await visit(browser(), site, { cookie });
    const { page } = tab;
    const openings: readonly (readonly [keys: string, role: 'dialog' | 'menu', name: string])[] = [
      ['c', 'dialog', 'Create key'],
      ['Control+k', 'dialog', 'Search or jump'],
      ['?', 'dialog', 'Shortcuts on this page'],
    ];
    await tab.open('/settings/keys');
    for (const [keys, role, name] of openings) {
      await page.getByRole('button', { name: 'Actions for Example' }).waitFor();
      await page.keyboard.press(keys);
      const opened = page.getByRole(role, { name });
      await opened.waitFor();
      await expectSound(page, name);
      await page.keyboard.press('Escape');
      await opened.waitFor({ state: 'detached' });
    }
    await page.getByRole('button', { name: 'Actions for Example' }).click();
    await page.getByRole('menuitem', { name: 'Rotate' }).waitFor();
    await expectSound(page, 'menu');
    await page.getByRole('menuitem', { name: 'Revoke' }).click();
    await page.getByRole('alertdialog').waitFor();
    await expectSound(page, 'confirmation');
    await page.keyboard.press('Escape');
    await tab.open(`/triggers/${ids.trigger}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('dialog', { name: 'Edit Form' }).waitFor();
    await expectSound(page, 'editing a trigger');
    await page.context().clearCookies();
    for (const path of ['sign-in', 'enter']) {
      await page.goto(`${site.url}/console/${path}`);
      await page.locator('main').waitFor();
      await expectSound(page, path);
    }
  });

  async function expectSound(page: Page, name: string): Promise<void> {
    await page.evaluate(axe.source);
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await faultsOf(page), `${name}, light`).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await faultsOf(page, { runOnly: ['color-contrast'] }), `${name}, dark`).toEqual([]);
    await page.setViewportSize(phone);
    // Colours are those of before.
    const layout = { rules: { 'color-contrast': { enabled: false } } };
    expect(await faultsOf(page, layout), `${name}, 320 px`).toEqual([]);
    expect(await sidewaysOf(page), `${name} scrolls sideways`).toBe(0);
    await page.setViewportSize(wide);
    await expectNothingLostAtTwice(page, name);
  }
});

function faultsOf(page: Page, options: axe.RunOptions = {}): Promise<string[]> {
  return page.evaluate(async (given) => {
    const { axe: loaded } = window as unknown as { axe: typeof axe };
    // What guards the ends of a menu is focusable for the moment in which it passes the focus on.
    const page = { exclude: [['[data-base-ui-focus-guard]']] };
    const { violations } = await loaded.run(page, { resultTypes: ['violations'], ...given });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
  }, options);
}

const sidewaysOf = (page: Page) =>
  page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth));

test('61: the shell has no inline script or style, and the sheets no address of elsewhere', async () => {
  const { folder } = await buildConsole();
  const shell = await readFile(join(folder, 'index.html'), 'utf8');
  expect(shell).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|style=|https?:/);
  const sheets = (await readdir(join(folder, 'assets'))).filter((name) => name.endsWith('.css'));
  const texts = await Promise.all(sheets.map((name) => readFile(join(folder, 'assets', name), 'utf8')));
  expect(texts.join('')).not.toMatch(/url\((?!data:)|@import/);
});

test('of builds at the same time each ends well, and one whole folder is left', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'relata-console-'));
  const target = join(parent, 'dist');
  try {
    for (const stamp of ['of these sources', 'of later ones']) {
      const built = Array.from({ length: 8 }, (_, at) => join(parent, `dist.${at}`));
      for (const folder of built) {
        await mkdir(join(folder, 'assets'), { recursive: true });
        await writeFile(join(folder, '.sources'), stamp);
      }
      const isNew = await Promise.all(built.map((folder) => putInPlace(folder, target, stamp)));
      expect(isNew).toContain(true);
      expect((await readdir(target)).toSorted()).toEqual(['.sources', 'assets']);
      expect(await readFile(join(target, '.sources'), 'utf8')).toBe(stamp);
      await Promise.all(built.map((folder) => rm(folder, { recursive: true, force: true })));
      expect(await readdir(parent)).toEqual(['dist']);
    }
  } finally {
    await rm(parent, { recursive: true });
  }
});

test('62: what is loaded first is less than 160 kB of JavaScript and 20 kB of CSS, packed', async () => {
  const { folder } = await buildConsole();
  const shell = await readFile(join(folder, 'index.html'), 'utf8');
  const first = [...shell.matchAll(/(?:src|href)="\/console\/(assets\/[^"]+)"/g)].map(([, path]) => path!);
  const bytesOf = async (ending: string) => {
    const sizes = first.filter((path) => path.endsWith(ending)).map((path) => packedBytes(join(folder, path)));
    return (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0);
  };
  expect(await bytesOf('.js')).toBeGreaterThan(100_000);
  expect(await bytesOf('.js')).toBeLessThan(160_000);
  expect(await bytesOf('.css')).toBeGreaterThan(1_000);
  expect(await bytesOf('.css')).toBeLessThan(20_000);
});

/** Files below 1 kB are served as they are. */
async function packedBytes(file: string): Promise<number> {
  const { size } = await stat(`${file}.gz`).catch(() => stat(file));
  return size;
}
