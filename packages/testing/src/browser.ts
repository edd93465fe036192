import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const places = [
  // Debian's headless Chromium, which uses less CPU for the same pages.
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
 * Features to disable. The popups of the address bar are pages in a separate process, opened with every window. If this
 * flag is given twice, only the last one counts. So the list repeats the features of playwright-core's flag that matter
 * here.
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

/** Flags against the sandbox, which containers rarely allow, and against requests of the browser itself. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Tabs of a context share a process, which has already compiled the scripts of the page.
  '--renderer-process-limit=1',
  // Without this a tab begins with its own process, whatever the limit: a process bound to a site takes no empty tab.
  '--disable-site-isolation-trials',
  `--disable-features=${withoutFeatures.join(',')}`,
];

const missing = 'needs Chromium: install it, or name it in CHROMIUM_PATH';

/** Finds the Chromium or Chrome of this machine: CHROMIUM_PATH if set, else the first of the usual places. */
export function findChromium(): string | undefined {
  return process.env.CHROMIUM_PATH || places.find((place) => existsSync(place));
}

/** Opens a headless Chromium; give every test its own context. Throws if there is none. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error(missing);
  // Imported only here, because most importers of this package need no browser.
  const { chromium } = await import('playwright-core');
  return chromium.launch({ executablePath, args: flags, timeout: 20_000 });
}

/** Empty contexts that stay open for the worker's next test file. */
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
 * Returns the browser of this process, which closes when the process exits. One that crashed in an earlier file is
 * replaced.
 */
async function sharedBrowser(): Promise<Browser> {
  const opened = await shared?.catch(() => undefined);
  if (opened?.isConnected()) return opened;
  shared = openBrowser();
  return shared;
}
