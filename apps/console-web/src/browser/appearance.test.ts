import { describeInBrowser, until } from '@relata/testing';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWebConsole, type WebConsole, openPage } from './harness/console.harness.ts';

describeInBrowser('Appearance of the console', (browser) => {
  let webConsole: WebConsole;
  let cookie: string;
  beforeAll(async () => {
    webConsole = await startWebConsole();
    cookie = await webConsole.join('admin', 'ada@acme.example');
    await webConsole.examples.key();
  });
  afterAll(() => webConsole[Symbol.asyncDispose]());

  const isDark = (page: Page) =>
    page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor === 'rgb(14, 16, 19)');

  const untilDark = (page: Page, expected: boolean) => until(async () => expect(await isDark(page)).toBe(expected));

  test('57: the theme follows the system, also while the page is open; a chosen theme applies to all tabs', async () => {
    await using tab = await openPage(browser(), webConsole, { cookie, colorScheme: 'dark' });
    const { page } = tab;
    await page.goto(`${webConsole.url}/console/me`);
    await untilDark(page, true);
    await page.emulateMedia({ colorScheme: 'light' });
    await untilDark(page, false);
    const other = await page.context().newPage();
    await other.emulateMedia({ colorScheme: 'light' });
    await other.goto(`${webConsole.url}/console/o/${webConsole.orgId}/settings/keys`);
    await page.getByRole('radio', { name: 'Dark' }).check();
    for (const each of [page, other]) await untilDark(each, true);
    await page.reload();
    await page.getByRole('radio', { name: 'Dark' }).waitFor();
    expect([await isDark(page), await page.getByRole('radio', { name: 'Dark' }).isChecked()]).toEqual([true, true]);
    await page.getByRole('radio', { name: 'System' }).check();
    for (const each of [page, other]) await untilDark(each, false);
    await page.emulateMedia({ colorScheme: 'dark' });
    await untilDark(page, true);
  });

  test.each(['dark', 'light'] as const)(
    '57: no frame of a page load shows the theme of the system instead of the chosen one: %s',
    async (theme) => {
      const colorScheme = theme === 'dark' ? 'light' : 'dark';
      await using tab = await openPage(browser(), webConsole, { cookie, colorScheme });
      const { page } = tab;
      await page.goto(`${webConsole.url}/console/me`);
      await page.getByRole('radio', { name: theme === 'dark' ? 'Dark' : 'Light' }).check();
      await untilDark(page, theme === 'dark');
      // The new styles are painted a frame later than they are computed. A screenshot waits for that frame.
      await page.screenshot();
      const frames = await framesOf(page, async () => {
        await page.reload();
        await page.getByRole('table', { name: 'Sessions' }).waitFor();
      });
      const lights = await lightsOf(page.context(), frames);
      expect(lights.length).toBeGreaterThan(1);
      for (const light of lights) expect(light > 128).toBe(theme === 'light');
    },
  );

  test('57: with reduced motion nothing moves or fades in pages and overlays; without it, dialogs fade', async () => {
    const moving = async (reducedMotion: 'reduce' | 'no-preference') => {
      await using tab = await openPage(browser(), webConsole, { cookie, reducedMotion });
      const { page } = tab;
      await tab.open('/settings/keys');
      await page.getByRole('button', { name: 'Actions for Example' }).waitFor();
      const found = await movingIn(page);
      for (const key of ['c', '?', 'Control+k']) {
        await page.keyboard.press(key);
        await page.getByRole('dialog').waitFor();
        found.push(...(await movingIn(page)));
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      }
      await page.getByRole('button', { name: 'Actions for Example' }).click();
      await page.getByRole('menu').waitFor();
      return [...found, ...(await movingIn(page))];
    };
    expect(await moving('reduce')).toEqual([]);
    expect((await moving('no-preference')).length).toBeGreaterThan(3);
  });

  test('the button “Times in UTC” switches the times and time filters of all tabs to UTC; the key u switches back', async () => {
    await using tab = await openPage(browser(), webConsole, { cookie, timezoneId: 'Asia/Kolkata' });
    const { page } = tab;
    await tab.open('/settings/audit');
    const time = page.getByRole('table', { name: 'Audit events' }).locator('time').first();
    const at = new Date((await time.getAttribute('datetime'))!);
    const clockIn = (timeZone: string) =>
      new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium', timeZone }).format(at);
    expect(await time.textContent()).toContain(clockIn('Asia/Kolkata'));
    expect(await time.getAttribute('title')).toContain('GMT+5:30');
    const other = await page.context().newPage();
    await other.goto(`${webConsole.url}/console/o/${webConsole.orgId}/deliveries?from=2026-11-22T18:45:00.000Z`);
    const filter = other.getByLabel('From');
    expect(await filter.inputValue()).toBe('2026-11-23T00:15');
    await page.getByRole('button', { name: 'Times in UTC' }).click();
    await until(async () => expect(await time.textContent()).toBe(`${dateOf(at)}, ${clockIn('UTC')} UTC`));
    await until(async () => expect(await filter.inputValue()).toBe('2026-11-22T18:45'));
    await other.getByLabel('From (UTC)').fill('2026-11-22T20:00');
    await other.keyboard.press('Enter');
    await until(() => expect(new URL(other.url()).searchParams.get('from')).toBe('2026-11-22T20:00:00.000Z'));
    await page.reload();
    await until(async () => expect(await time.textContent()).toContain('UTC'));
    await page.keyboard.press('u');
    await until(async () => expect(await time.textContent()).toContain(clockIn('Asia/Kolkata')));
  });

  test('the hint of an expiry date and the options of deliveries use the selected time zone', async () => {
    const trigger = await webConsole.examples.emptyTrigger();
    await webConsole.examples.deliver(trigger, '{}');
    await using tab = await openPage(browser(), webConsole, { cookie, timezoneId: 'Asia/Kolkata' });
    const { page } = tab;
    await tab.open('/settings/keys');
    const expectZone = async (zone: string) => {
      await page.getByRole('button', { name: 'Create key' }).click();
      await page.getByLabel('Expires').selectOption({ label: 'On a date…' });
      await page.getByText(`The key expires at the start of this day, in ${zone}.`).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Discard' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };
    await expectZone('your time zone');
    await page.keyboard.press('u');
    await expectZone('UTC');

    await tab.open(`/triggers/${trigger}`);
    const option = page.getByLabel('Delivery').locator('option');
    const time = page.locator('main time').last();
    const at = new Date((await time.getAttribute('datetime'))!);
    const clockIn = (timeZone: string) =>
      new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium', timeZone }).format(at);
    expect(await option.textContent()).toContain(clockIn('UTC'));
    await page.keyboard.press('u');
    await until(async () => expect(await time.getAttribute('title')).toContain('GMT+5:30'));
    expect(await option.textContent()).toContain(clockIn('Asia/Kolkata'));
  });

  test('the button that replays a refused request names its time in the selected time zone', async () => {
    const { triggerId } = await webConsole.examples.refusals(1, await webConsole.examples.emptyTrigger());
    await using tab = await openPage(browser(), webConsole, { cookie, timezoneId: 'Asia/Kolkata' });
    const { page } = tab;
    await tab.open(`/deliveries?trigger=${triggerId}&outcome=refused`);
    const table = page.getByRole('table', { name: 'Refused requests' });
    const button = page.getByRole('button', { name: 'Replay the request of' });
    const time = table.getByRole('row').filter({ has: button }).locator('time');
    const at = new Date((await time.getAttribute('datetime'))!);
    const expectZone = (timeZone: string) =>
      until(async () => {
        const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone }).format(at);
        expect(await time.textContent()).toContain(clock);
        expect(await button.getAttribute('aria-label')).toContain(clock);
      });
    await expectZone('Asia/Kolkata');
    await page.keyboard.press('u');
    await expectZone('UTC');
  });
});

const dateOf = (at: Date) => new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' }).format(at);

/** Returns the frames painted during `work`. The connection is slow, so that a flash of a wrong theme is painted. */
async function framesOf(page: Page, work: () => Promise<void>): Promise<string[]> {
  const frames: string[] = [];
  const cdp = await page.context().newCDPSession(page);
  cdp.on('Page.screencastFrame', ({ data, sessionId }) => {
    frames.push(data);
    void cdp.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined);
  });
  await cdp.send('Network.enable');
  const slow = { offline: false, latency: 200, downloadThroughput: 100_000, uploadThroughput: 100_000 };
  await cdp.send('Network.emulateNetworkConditions', slow);
  await cdp.send('Page.startScreencast', { format: 'png', everyNthFrame: 1, maxWidth: 320, maxHeight: 200 });
  await work();
  await cdp.send('Page.stopScreencast');
  await cdp.detach();
  return frames;
}

/** Returns the brightness of the background at the lower right of each picture, from 0 to 255. */
async function lightsOf(context: BrowserContext, pictures: readonly string[]): Promise<number[]> {
  const page = await context.newPage();
  return page.evaluate(async (given) => {
    const lights: number[] = [];
    for (const picture of given) {
      const bytes = Uint8Array.from(atob(picture), (letter) => letter.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d')!;
      canvas.drawImage(image, 0, 0);
      const [red, green, blue] = canvas.getImageData(image.width - 4, image.height - 4, 1, 1).data;
      lights.push((red! + green! + blue!) / 3);
    }
    return lights;
  }, pictures);
}

/** Lists elements that have a transition or an animation with a duration. */
const movingIn = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('*')].flatMap((element) => {
      const { transitionDuration, animationDuration } = getComputedStyle(element);
      const isMoving = [transitionDuration, animationDuration].some((text) => /[1-9]/.test(text));
      return isMoving ? [`${element.tagName} ${element.className}`] : [];
    }),
  );
