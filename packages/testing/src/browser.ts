import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const places = [
  // Debian's headless Chromium uses less CPU than the full one for the same pages.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ...[process.env.PROGRAMFILES, process.env['PROGRAMFILES(X86)'], process.env.LOCALAPPDATA].flatMap((folder) =>
    folder ? [join(folder, 'Google', 'Chrome', 'Application', 'chrome.exe')] : [],
  ),
];

/**
 * Features to disable. The popups of the address bar would make every window open pages in a separate process. Chromium
 * uses only the last `--disable-features` flag, so the list repeats the important features of playwright-core's flag.
 */
const withoutFeatures = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
];

/** Flags that disable the sandbox, which containers rarely allow, and requests that the browser makes by itself. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Makes the tabs of a context share a process, which has already compiled the scripts of the page.
  '--renderer-process-limit=1',
  // Without this flag, a new tab would get its own process despite the limit, because a process that is bound to a site
  // cannot contain an empty tab.
  '--disable-site-isolation-trials',
  `--disable-features=${withoutFeatures.join(',')}`,
];

const missing = 'needs Chromium: install it, or name it in CHROMIUM_PATH';

/** Returns the path of a Chromium or Chrome: CHROMIUM_PATH if set, else the first of the usual paths that exists. */
export function findChromium(): string | undefined {
  return process.env.CHROMIUM_PATH || places.find((place) => existsSync(place));
}

/** Opens a headless Chromium. Throws if none is installed. Each test should use its own context. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error(missing);
  // Imported only here, because most importers of this package need no browser.
  const { chromium } = await import('playwright-core');
  return chromium.launch({ executablePath, args: flags, timeout: 20_000 });
}

/** Unused contexts that stay open for the worker's next test file. */
export const keptContexts = new WeakSet<BrowserContext>();

/**
 * Declares tests that share a browser with other files of the same worker. After each test file, closes the contexts
 * that it opened, except those in `keptContexts`. Without Chromium the tests are skipped with a message, or fail if
 * RELATA_REQUIRE_BROWSER is 1.
 */
export function describeInBrowser(name: string, body: (browser: () => Browser) => void): void {
  if (findChromium() === undefined) describeMissing(name);
  else describeWithBrowser(name, body);
}

function describeMissing(name: string): void {
  test(`${name}: in a browser`, (context) => {
    expect(process.env.RELATA_REQUIRE_BROWSER, missing).not.toBe('1');
    context.skip(missing);
  });
}

function describeWithBrowser(name: string, body: (browser: () => Browser) => void): void {
  // oxlint-disable-next-line vitest/valid-title
  describe(name, () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await sharedBrowser();
    });
    afterAll(async () => {
      const left = browser?.contexts().filter((context) => !keptContexts.has(context)) ?? [];
      await Promise.all(left.map((context) => context.close()));
    });
    body(() => browser);
  });
}

let shared: Promise<Browser> | undefined;

/**
 * Returns the browser of this process, which closes when the process exits. A browser that crashed in an earlier test
 * file is replaced.
 */
async function sharedBrowser(): Promise<Browser> {
  const opened = await shared?.catch(() => undefined);
  if (opened?.isConnected()) return opened;
  shared = openBrowser();
  return shared;
}
