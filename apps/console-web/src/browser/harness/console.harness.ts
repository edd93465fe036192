import { join } from 'node:path';
import { createOrganization } from '@relata/auth';
import { oneAtATime } from '@relata/bundle';
import { createLog } from '@relata/runtime';
import type { Role } from '@relata/schemas/console';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { goodPassword, joinAs, localLink, signedIn } from '../../../../console/src/console-client.harness.ts';
import { type ConsoleOptions, startTestConsole, type TestConsole } from '../../../../console/src/console.harness.ts';
import { Examples } from '../../../../console/src/examples.harness.ts';
import { readBundle } from '../../../../console/src/shell/bundle.ts';
import { buildConsole } from '../../../build.ts';
import { borrowContext } from './context.harness.ts';

export { goodPassword };

/** The real console with its pages, on a database of its own, with one organization. */
export interface Site extends AsyncDisposable {
  readonly url: string;
  readonly console: TestConsole;
  readonly orgId: string;
  readonly examples: Examples;
  /** What the console logged, line by line. */
  readonly logLines: string[];
  /** The cookie of a new member, or of one more session of somebody. */
  join(role: Role, email: string): Promise<string>;
  signIn(email: string): Promise<string>;
  /** The address that `npm start` prints. */
  link(): Promise<string>;
}

const buildLock = join(import.meta.dirname, '../../../../../.local/console-web.lock');

export async function openSite(options: ConsoleOptions = {}): Promise<Site> {
  // Files of several workers begin at the same time: one of them builds.
  const { folder } = await oneAtATime(buildLock, () => buildConsole());
  const bundle = await readBundle(createLog({ name: 'test', level: 'silent' }), folder);
  const logLines: string[] = [];
  const started = await startTestConsole({ bundle, logLines, ...options });
  const { id: orgId } = await createOrganization(started.db.database, 'Acme');
  return {
    url: started.url,
    console: started,
    orgId,
    examples: new Examples(started.db, orgId),
    logLines,
    join: (role, email) => joinAs(started.db, orgId, role, email),
    signIn: (email) => signedIn(started.db, email),
    link: async () => `${started.url}/console/enter#${(await localLink(started.db, [orgId])).token}`,
    [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
  };
}

export interface VisitOptions extends BrowserContextOptions {
  cookie?: string;
}

/** A tab of its own. Its end is the test's failure where the page had an error, broke its policy or asked elsewhere. */
export interface Visit extends AsyncDisposable {
  readonly page: Page;
  /** Each request that the page made: its address and its Referer. */
  readonly requests: string[];
  /** Opens a page of the organization: `/settings/keys`. */
  open(path: string): Promise<void>;
  /** As another tab of the same browser would. */
  signInAs(cookie: string): Promise<void>;
}

export async function visit(browser: Browser, site: Site, { cookie, ...options }: VisitOptions = {}): Promise<Visit> {
  const lent = await borrowContext(browser, site.url, options);
  const { context } = lent;
  if (cookie) await context.addCookies([cookieOf(site.url, cookie)]);
  const page = await context.newPage();
  const requests: string[] = [];
  const faults = watchFaults(page, site.url);
  page.on('request', (request) => requests.push(`${request.url()} ${request.headers()['referer'] ?? ''}`));
  return {
    page,
    requests,
    open: async (path) => void (await page.goto(`${site.url}/console/o/${site.orgId}${path}`)),
    signInAs: (other) => context.addCookies([cookieOf(site.url, other)]),
    [Symbol.asyncDispose]: async () => {
      await lent.giveBack();
      expect(faults).toEqual([]);
    },
  };
}

function cookieOf(url: string, cookie: string) {
  const [name, value] = cookie.split('=') as [string, string];
  return { name, value, url, httpOnly: true, sameSite: 'Strict' as const };
}

function watchFaults(page: Page, url: string): string[] {
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${url}/console`) && !request.url().startsWith('data:')) faults.push(request.url());
  });
  page.on('console', (message) => {
    // A refused request is an error to the console, and what some tests are about.
    const isExpected =
      /^(Failed to load resource|ApiFailure: (The service answered 503|The service did not answer))/.test(
        message.text(),
      );
    if (message.type() === 'error' && !isExpected) faults.push(message.text());
  });
  page.on('dialog', (dialog) => {
    faults.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return faults;
}
