import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describeInBrowser, until } from '@relata/testing';
import type { Request } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Browser as Client } from '../../../console/src/console-client.harness.ts';
import { startWebConsole, type WebConsole } from './harness/console.harness.ts';

describeInBrowser('A page of another site', (browser) => {
  let webConsole: WebConsole;
  let stranger: Server;
  let address: string;
  beforeAll(async () => {
    webConsole = await startWebConsole();
    stranger = createServer((request, response) => {
      response.setHeader('Content-Type', 'text/html');
      const frame = `<iframe src="${webConsole.url}/console/sign-in"></iframe>`;
      response.end(request.url === '/framing' ? frame : '<!doctype html>');
    });
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}/`;
  });
  afterAll(async () => {
    stranger.close();
    stranger.closeAllConnections();
    await webConsole[Symbol.asyncDispose]();
  });

  test('7: changes nothing with a form, a fetch without CORS or an image, although the browser sends the cookie with the form', async () => {
    const cookie = await webConsole.join('admin', 'grace@acme.example');
    const key = await webConsole.examples.key();
    const client = new Client(webConsole.url, cookie);
    const changes = async () => (await client.get(`/orgs/${webConsole.orgId}/audit?limit=100`)).body.data.length;
    const before = await changes();
    const context = await browser().newContext();
    try {
      const [name, value] = cookie.split('=') as [string, string];
      await context.addCookies([{ name, value, url: webConsole.url, httpOnly: true, sameSite: 'Strict' }]);
      const page = await context.newPage();
      const asked: Request[] = [];
      page.on('request', (request) => request.method() === 'POST' && asked.push(request));
      const org = `${webConsole.url}/console/api/orgs/${webConsole.orgId}`;
      for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data']) {
        await page.goto(address);
        const leaving = page.waitForResponse(`${org}/members`);
        await page.evaluate(post, [`${org}/members`, type] as const);
        expect((await leaving).status(), type).toBe(403);
        await page.waitForURL(`${org}/members`);
      }
      await page.goto(address);
      expect(await page.evaluate(askBlindly, [`${org}/members`, `${org}/keys/${key}/revoke`])).toEqual([
        'nothing',
        'nothing',
      ]);
      expect(await page.evaluate(showImages, [`${org}/keys`, `${org}/keys/${key}/revoke`])).toEqual(['error', 'error']);

      expect(asked).toHaveLength(5);
      for (const request of asked.slice(0, 3)) expect((await request.allHeaders())['cookie']).toBe(cookie);
      expect(await changes()).toBe(before);
      // The same request succeeds from a page of the console.
      expect((await client.post(`/orgs/${webConsole.orgId}/keys/${key}/revoke`)).status).toBe(200);
      expect(await changes()).toBe(before + 1);
    } finally {
      await context.close();
    }
  });

  test('8: cannot show the console in a frame, and gets no reference to a console window that it opens', async () => {
    const context = await browser().newContext();
    try {
      const page = await context.newPage();
      await page.goto(`${address}framing`);
      await until(() => expect(page.frames()[1]?.url()).toMatch(/^chrome-error:/));
      const opening = page.waitForEvent('popup');
      await page.evaluate(
        (url) => void Object.assign(window, { opened: window.open(url) }),
        `${webConsole.url}/console/sign-in`,
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

/** Submits a form to another site, without a click. */
function post([address, type]: readonly [address: string, type: string]): void {
  const form = Object.assign(document.createElement('form'), { method: 'post', action: address, enctype: type });
  for (const [name, value] of Object.entries({ email: 'x@evil.example', role: 'admin' }))
    form.append(Object.assign(document.createElement('input'), { name, value }));
  document.body.append(form);
  form.submit();
}

/** Sends requests with `no-cors`, whose responses the page cannot read. Returns the types of the responses. */
async function askBlindly(addresses: readonly string[]): Promise<string[]> {
  const ask = (address: string) =>
    fetch(address, {
      method: 'POST',
      mode: 'no-cors',
      credentials: 'include',
      headers: { 'content-type': 'text/plain' },
      body: '{"email":"x@evil.example","role":"admin"}',
    });
  // The fetch fails if the response is blocked even as an opaque one.
  return Promise.all(
    addresses.map((address) =>
      ask(address).then(
        ({ type }) => type,
        () => 'nothing',
      ),
    ),
  );
}

function showImages(addresses: readonly string[]): Promise<string[]> {
  const show = (src: string) =>
    new Promise<string>((resolve) => {
      const image = new Image();
      image.onload = () => resolve('load');
      image.onerror = () => resolve('error');
      image.src = src;
    });
  return Promise.all(addresses.map(show));
}
