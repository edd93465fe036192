import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { openBrowser } from '@relata/testing';
import { root } from '../paths.ts';

type Browser = Awaited<ReturnType<typeof openBrowser>>;

/** Picture in the README. With `RELATA_PICTURE=1`, the test that opens its page takes the picture again. */
const file = join(root, 'docs', 'images', 'demo.png');

const question = 'What does the Team plan cost?';
const answerTimeoutMs = 60_000;

/** Opens the page of the picture: the demo site with the open chat and an answered question. */
export async function openPicture(browser: Browser, baseUrl: string) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    colorScheme: 'light',
    reducedMotion: 'reduce',
    locale: 'en-US',
  });
  context.setDefaultTimeout(answerTimeoutMs);
  const page = await context.newPage();
  await page.goto(`${baseUrl}/demo`);
  await page.locator('.launcher').click();
  const input = page.getByLabel('Your question');
  await input.fill(question);
  await input.press('Enter');
  await page.locator('.sources').waitFor();
  return {
    headline: page.getByRole('heading', { level: 1 }),
    question: page.locator('.question'),
    answer: page.locator('.answer .markdown'),
    sources: page.locator('.sources'),
    async take() {
      if (process.env['RELATA_PICTURE'] !== '1') return;
      // Hides the cursor, and leaves no button in its hover state.
      await input.blur();
      await page.mouse.move(0, 0);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, await page.screenshot());
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
}
