import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { createOrganization } from '@relata/auth';
import { oneAtATime } from '@relata/bundle';
import { endSessions } from '@relata/people';
import { createLog } from '@relata/runtime';
import type { Role } from '@relata/schemas/console';
import type {
  Browser,
  BrowserContext,
  BrowserContextOptions,
  ConsoleMessage,
  Dialog,
  Page,
  Request,
  WebError,
} from 'playwright-core';
import { expect } from 'vitest';
import { goodPassword, joinAs, localLink, signedIn } from '../../../../console/src/console-client.harness.ts';
import { type ConsoleOptions, startTestConsole, type TestConsole } from '../../../../console/src/console.harness.ts';
import { Examples } from '../../../../console/src/examples.harness.ts';
import { readBundle } from '../../../../console/src/shell/bundle.ts';
import { buildConsole } from '../../../build.ts';
import { borrowContext, openContext } from './context.harness.ts';

export { goodPassword };

/** A real console with its pages, its own database and one organization. */
export interface WebConsole extends AsyncDisposable {
  readonly url: string;
  readonly console: TestConsole;
  readonly orgId: string;
  readonly examples: Examples;
  /** Lines that the console logged. */
  readonly logLines: string[];
  /** Returns the cookie of a new session for a new or existing member. */
  join(role: Role, email: string): Promise<string>;
  signIn(email: string): Promise<string>;
  /** Ends all sessions of a person. */
  endSessions(email: string): Promise<void>;
  /** Returns the link that `npm start` prints. */
  link(): Promise<string>;
}

const buildLock = join(import.meta.dirname, '../../../../../.local/building-console-web');

export async function startWebConsole(options: ConsoleOptions = {}): Promise<WebConsole> {
  // Test files of several workers start at the same time; only one of them builds.
  const { folder } = await oneAtATime(buildLock, () => buildConsole());
  const bundle = await readBundle(createLog({ name: 'test', level: 'silent' }), folder);
  const logLines: string[] = [];
  const started = await startAtOneAddress({ bundle, logLines, proxies: 1, ...options });
  const { id: orgId } = await createOrganization(started.db.database, 'Acme');
  return {
    url: started.url,
    console: started,
    orgId,
    examples: new Examples(started.db, orgId),
    logLines,
    join: (role, email) => joinAs(started.db, orgId, role, email),
    signIn: (email) => signedIn(started.db, email),
    endSessions: async (email) => {
      const [person] = await started.db.database.query(findPerson, [email]);
      await endSessions(started.db.database, person!.id);
    },
    link: async () => `${started.url}/console/enter#${(await localLink(started.db, [orgId])).token}`,
    [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
  };
}

/** Port that the consoles of this process use one after another. */
const address = { port: 0, isTaken: false };

/**
 * Starts a console at the address of the previous console, unless that is still open. Browsers cache compiled
 * scripts by address.
 */
async function startAtOneAddress(options: ConsoleOptions): Promise<TestConsole> {
  if (address.isTaken) return startTestConsole(options);
  address.isTaken = true;
  const started = await startTestConsole({ ...options, port: address.port }).catch((error: NodeJS.ErrnoException) => {
    // Another process has taken the port.
    if (error.code !== 'EADDRINUSE') throw error;
    return startTestConsole(options);
  });
  address.port = Number(new URL(started.url).port);
  const close = async () => {
    await started[Symbol.asyncDispose]();
    address.isTaken = false;
  };
  return { ...started, [Symbol.asyncDispose]: close };
}

const findPerson: { name: string; text: string; row?: { id: string } } = {
  name: 'test.find_person',
  text: 'SELECT id FROM people WHERE email = $1',
};

export interface PageOptions extends BrowserContextOptions {
  cookie?: string;
  /** True to use a new browser context with an empty cache, which no other page reuses. */
  isFresh?: boolean;
  /** Errors in the browser's console that the test expects. */
  expected?: RegExp;
}

/**
 * A tab in a context that no other open page uses. Disposing of it fails the test if a tab of the context had an
 * error, violated the content security policy, or sent a request outside the console.
 */
export interface TestPage extends AsyncDisposable {
  readonly page: Page;
  /** Address and Referer of each request of the page. */
  readonly requests: string[];
  /** Opens a page of the organization, such as `/settings/keys`. */
  open(path: string): Promise<void>;
  /** Navigates within the open page, like a link, without loading it again. */
  go(path: string): Promise<void>;
  /** Signs in as if in another tab of the same browser. */
  signInAs(cookie: string): Promise<void>;
  /** Fails if there was an error since the last call. */
  expectNoFaults(): void;
}

export async function openPage(
  browser: Browser,
  webConsole: WebConsole,
  { cookie, isFresh, expected, ...options }: PageOptions = {},
): Promise<TestPage> {
  const lent = await (isFresh ? openContext(browser, options) : borrowContext(browser, webConsole.url, options));
  const { context } = lent;
  await context.setExtraHTTPHeaders({ 'X-Forwarded-For': newAddress() });
  if (cookie) await context.addCookies([cookieOf(webConsole.url, cookie)]);
  const watch = watchFaults(context, webConsole.url, expected);
  const page = await context.newPage();
  const addressOf = (path: string) => `${webConsole.url}/console/o/${webConsole.orgId}${path}`;
  const expectNoFaults = () => expect(watch.faults.splice(0)).toEqual([]);
  const requests: string[] = [];
  page.on('request', (request) => requests.push(`${request.url()} ${request.headers()['referer'] ?? ''}`));
  return {
    page,
    requests,
    open: async (path) => void (await page.goto(addressOf(path))),
    go: (path) => page.evaluate((address) => history.pushState(null, '', address), addressOf(path)),
    signInAs: (other) => context.addCookies([cookieOf(webConsole.url, other)]),
    expectNoFaults,
    [Symbol.asyncDispose]: async () => {
      await lent.giveBack();
      watch.end();
      expectNoFaults();
    },
  };
}

/**
 * Returns a random client IP address (127.x.x.x) for one page. Rate limits are counted per IP address, and test files
 * that run at the same time share them.
 */
const newAddress = () => ['127', ...Array.from({ length: 3 }, () => randomInt(1, 255))].join('.');

function cookieOf(url: string, cookie: string) {
  const [name, value] = cookie.split('=') as [string, string];
  return { name, value, url, httpOnly: true, sameSite: 'Strict' as const };
}

/** Collects errors of all tabs of a context until `end` is called. Another page may then get the context. */
function watchFaults(context: BrowserContext, url: string, expected?: RegExp) {
  const faults: string[] = [];
  const onError = (error: WebError) => void faults.push(error.error().message);
  const onRequest = (request: Request) => {
    if (!request.url().startsWith(`${url}/console`) && !request.url().startsWith('data:')) faults.push(request.url());
  };
  const onMessage = (message: ConsoleMessage) => {
    const text = message.text();
    if (message.type() === 'error' && !isExpected.test(text) && !expected?.test(text)) faults.push(text);
  };
  const onDialog = (dialog: Dialog) => {
    // Tests may leave a page with unsaved input. Other tests check the browser's question before leaving.
    if (dialog.type() === 'beforeunload') return void dialog.accept();
    faults.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  };
  context.on('weberror', onError).on('request', onRequest).on('console', onMessage).on('dialog', onDialog);
  const end = () =>
    context.off('weberror', onError).off('request', onRequest).off('console', onMessage).off('dialog', onDialog);
  return { faults, end };
}

/** Matches the console errors of refused requests, which many tests cause on purpose. */
const isExpected =
  /^(Failed to load resource|ApiFailure: (Unexpected response from the server \(HTTP 503\)|The server did not respond))/;
