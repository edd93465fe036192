import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeInBrowser } from '@relata/testing';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { appNames } from '../services.ts';
import { openPicture } from './site/picture.harness.ts';
import { visitorOf } from './stack/visitor.harness.ts';
import { promised, type Started } from './start.harness.ts';

let { checkout, run, stack } = {} as Started;
let visitor: ReturnType<typeof visitorOf>;

const acme = () => stack.organizations[0]!;
const get = (url: string) => fetch(url, { signal: AbortSignal.timeout(60_000) });

interface Part {
  type: string;
  delta?: string;
  sourceId?: string;
  url?: string;
}

function partsOf(stream: string): Part[] {
  expect(stream).toMatch(/\n\ndata: \[DONE\]\n\n$/);
  // The stream also contains comments, which keep the connection open.
  const frames = stream.split('\n\n').filter((frame) => frame.startsWith('data: {'));
  return frames.map((frame) => JSON.parse(frame.slice('data: '.length)) as Part);
}

async function listedRequests(): Promise<{ work_email: string; status: string }[]> {
  const listed = await checkout.relata('demo-requests', 'list', '--org', acme().id, '--json');
  expect(await listed.exited, listed.stderr()).toEqual({ code: 0, signal: null });
  return JSON.parse(listed.stdout());
}

/** Tests the demo site and its chat on a stack that was started without settings, before any other visitor. */
export function testChat(started: () => Started): void {
  describe('the demo site and its chat', () => {
    beforeAll(() => {
      ({ checkout, run, stack } = started());
      visitor = visitorOf(stack);
    });

    test('without settings, a start shows a demo site with the chat, and builds the script of the chat', async () => {
      const page = await get(`${stack.base_url}/demo`);
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(await page.text()).toContain(`api-key="${acme().keys.publishable}"`);
      const script = await get(`${stack.base_url}/v1/genie/widget.js`);
      expect([script.status, script.headers.get('content-type')]).toEqual([200, expect.stringContaining('javascript')]);
      expect(await script.text()).toContain('relata-chat');
    });

    test.each([
      ['/v1/genie/LICENSES.txt', '=== preact@'],
      ['/console/LICENSES.txt', '=== react-dom@'],
      ['/docs/assets/LICENSES.txt', '=== minisearch@'],
    ])('%s has the licences of the libraries in browser scripts', async (path, licence) => {
      const answer = await get(stack.base_url + path);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
      expect(await answer.text()).toContain(licence);
    });

    test('the chat answers a visitor without a configured model, and cites a page of the site', async () => {
      const answer = await visitor.ask('What does the Team plan cost?', stack.base_url);
      expect(answer.status).toBe(200);
      const parts = partsOf(await answer.text());
      const words = parts.map(({ delta = '' }) => delta).join('');
      expect(words).toContain('$39');
      expect(words).toContain('[1]');
      const source = parts.find(({ type }) => type === 'source-url');
      expect(source).toMatchObject({ sourceId: '1', url: `${stack.base_url}/demo/docs/pricing` });
      const cited = await get(source!.url!);
      expect([cited.status, await cited.text()]).toEqual([200, expect.stringContaining('$39 per user')]);
    });

    test('the key of the demo site is refused on a page of another origin', async () => {
      expect((await visitor.ask('What does it cost?', 'https://evil.example')).status).toBe(403);
    });

    test('an error of the chat links to its explanation, which another app serves at the same address', async () => {
      const { doc_url } = (await (await visitor.ask('What?', 'https://evil.example')).json()) as { doc_url: string };
      const page = await get(new URL(doc_url, stack.base_url).href);
      expect(await page.text()).toContain('id="forbidden"');
    });

    describeInBrowser('the demo site', (browser) => {
      test('the page for the picture in the README shows the site, a question, its answer and its source', async () => {
        await using picture = await openPicture(browser(), stack.base_url);
        await expect.poll(() => picture.headline.isVisible()).toBe(true);
        await expect.poll(() => picture.question.innerText()).toContain('What does the Team plan cost?');
        await expect.poll(() => picture.answer.last().innerText()).toContain('$39');
        await expect.poll(() => picture.sources.innerText()).toContain('Plans and pricing');
        await picture.take();
      });
    });

    test('a demo request is shown in the output and in the inbox, and recorded as sent', async () => {
      const form = { name: 'Grace\u001b[2J Hopper', work_email: 'grace@navy.example', message: 'one <b>\ntwo' };
      const sent = await visitor.requestDemo(form);
      expect([sent.status, await sent.json()]).toEqual([200, { ok: true }]);
      await vi.waitFor(() => expect(run.stdout()).toMatch(/^│ .*grace@navy\.example$/m), promised);
      expect(run.stdout()).toMatch(/^│ one <b>\n│ two$/m);
      expect(run.stdout()).not.toContain('\u001b');
      expect(await (await get(stack.channel!.url)).text()).toContain('grace@navy.example');
      // The other request belongs to the demo's day.
      const demo = { work_email: 'lucy@harperprint.example' };
      expect(await listedRequests()).toMatchObject([{ work_email: 'grace@navy.example', status: 'sent' }, demo]);
    });

    test('no log contains what a visitor sends or the path of the inbox', async () => {
      const folder = join(checkout.folder, '.local', 'logs');
      const logs = await Promise.all(appNames.map((name) => readFile(join(folder, `${name}.log`), 'utf8')));
      expect(logs.join('')).not.toMatch(/grace@navy|\/inbox\//);
    });
  });
}

/**
 * Tests a workflow that posts to the team's channel. It runs after the other tests, because it changes a demo trigger.
 */
export function testHello(started: () => Started): void {
  test('a message of a workflow arrives in the same inbox', async () => {
    const { checkout, run, stack } = started();
    const [acme] = stack.organizations;
    const file = join(checkout.folder, 'hello.json');
    const definition = {
      name: 'hello',
      inputs: {},
      steps: [{ id: 'hello', use: 'channel.post', with: { text: 'A run says hello' } }],
    };
    await writeFile(file, JSON.stringify(definition));
    const trigger = acme!.triggers![0]!;
    for (const args of [
      ['workflows', 'apply', file, '--org', acme!.id],
      ['triggers', 'assign', trigger.id, 'hello'],
    ]) {
      const done = await checkout.relata(...args);
      expect(await done.exited, done.stderr()).toEqual({ code: 0, signal: null });
    }
    const body = { user: { email: 'run@example.com' } };
    const path = new URL(trigger.url).pathname;
    expect((await visitorOf(stack).post(path, { 'X-Webhook-Secret': trigger.secret! }, body)).status).toBe(202);
    await vi.waitFor(() => expect(run.stdout()).toContain('│ A run says hello\n'), promised);
  });
}
