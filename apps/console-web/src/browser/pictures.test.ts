import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeInBrowser, until } from '@relata/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BusyOrganization, fillOrganization } from '../../../console/src/busy-organization.harness.ts';
import { Browser } from '../../../console/src/console-client.harness.ts';
import { startWebConsole, type WebConsole, openPage } from './harness/console.harness.ts';

const folder = join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'images');
const size = { width: 1280, height: 800 };

/** Number of deliveries received in each past hour, most recent hour first. */
const byHour = [5, 9, 12, 14, 11, 8, 13, 15, 12, 7, 4, 3, 1, 0, 0, 1, 2, 4, 6, 9, 8, 6];

describeInBrowser('The pictures of the README', (browser) => {
  let webConsole: WebConsole;
  let busy: BusyOrganization;
  let cookie: string;
  beforeAll(async () => {
    webConsole = await startWebConsole();
    busy = await fillOrganization(webConsole.console.db, webConsole.orgId);
    cookie = await webConsole.join('admin', 'grace@acme.example');
    await new Browser(webConsole.url, cookie).send('PATCH', '/console/api/me', { body: { name: 'Grace Hopper' } });
    await webConsole.examples.key();
    await webConsole.examples.member();
  });
  afterAll(async () => {
    await busy[Symbol.asyncDispose]();
    await webConsole[Symbol.asyncDispose]();
  });

  const look = () =>
    openPage(browser(), webConsole, {
      cookie,
      viewport: size,
      colorScheme: 'light',
      locale: 'en-US',
      timezoneId: 'UTC',
    });

  test('the page of a run shows its steps on one time scale, with their attempts and waits', async () => {
    await using tab = await look();
    await tab.open(`/runs/${busy.runId}`);
    await tab.page.getByRole('link', { name: 'notify' }).click();
    const ended = tab.page.getByText(/succeeded in .*, attempt 3/);
    await ended.waitFor();
    expect(await ended.count()).toBe(1);
    await take(tab.page, 'console-run');
  });

  test('the list of deliveries shows the runs of each, and one delivery is open with its body', async () => {
    await using tab = await look();
    await tab.open(`/deliveries?id=${busy.deliveryId}`);
    const message = tab.page.getByText('We would like to see a demo.');
    await message.waitFor();
    await untilRows(tab.page, 'Deliveries', 6);
    await tab.page.getByRole('list', { name: 'Replay preview' }).waitFor();
    expect(await message.isVisible()).toBe(true);
    await take(tab.page, 'console-deliveries');
  });

  test('Today shows the received deliveries, the problems, the waiting runs and the latest runs', async () => {
    await webConsole.examples.deliveriesBefore(await webConsole.examples.emptyTrigger('ERP sync'), byHour);
    await using tab = await look();
    await tab.open('');
    await tab.page.getByRole('table', { name: 'Problems' }).getByRole('link', { name: 'billing at invoice' }).waitFor();
    await untilRows(tab.page, 'Latest runs', 10);
    expect(await tab.page.getByRole('link', { name: /\d+ deliveries in 24 hours/ }).isVisible()).toBe(true);
    expect(await tab.page.getByRole('link', { name: '5 waiting runs' }).isVisible()).toBe(true);
    await take(tab.page, 'console-today');
  });
});

const untilRows = (page: Page, table: string, count: number) =>
  until(async () => expect(await page.getByRole('table', { name: table }).locator('tbody tr').count()).toBe(count));

/** Takes a picture if `RELATA_PICTURE=1`. */
async function take(page: Page, name: string): Promise<void> {
  if (process.env['RELATA_PICTURE'] !== '1') return;
  await page.mouse.move(0, 0);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}.png`), await page.screenshot());
}
