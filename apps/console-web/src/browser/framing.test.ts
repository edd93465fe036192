import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describeInBrowser, until } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSite, type Site } from './harness/console.harness.ts';

describeInBrowser('A page of somebody else', (browser) => {
  let site: Site;
  let stranger: Server;
  let address: string;
  beforeAll(async () => {
    site = await openSite();
    stranger = createServer((_request, response) => {
      response.setHeader('Content-Type', 'text/html');
      response.end(`<iframe src="${site.url}/console/sign-in"></iframe>`);
    });
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}/`;
  });
  afterAll(async () => {
    stranger.close();
    stranger.closeAllConnections();
    await site[Symbol.asyncDispose]();
  });

  test('8: cannot show the console in a frame, and gets no handle of one that it opens', async () => {
    const context = await browser().newContext();
    try {
      const page = await context.newPage();
      await page.goto(address);
      await until(() => expect(page.frames()[1]?.url()).toMatch(/^chrome-error:/));
      const opening = page.waitForEvent('popup');
      await page.evaluate(
        (url) => void Object.assign(window, { opened: window.open(url) }),
        `${site.url}/console/sign-in`,
      );
      const popup = await opening;
      await popup.getByRole('heading', { name: 'Sign in' }).waitFor();
      const isClosed = () => page.evaluate(() => (window as unknown as { opened: Window }).opened.closed);
      await until(async () => expect(await isClosed()).toBe(true));
      expect(await popup.evaluate(() => window.opener)).toBeNull();
    } finally {
      await context.close();
    }
  });
});
