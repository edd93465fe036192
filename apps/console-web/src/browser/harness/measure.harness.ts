import type { Page } from 'playwright-core';

/**
 * Factor by which tests multiply the time limits of acceptance.md. Those limits apply to an otherwise idle machine.
 * Tests share a machine that may be half as fast, and should fail only for a real fault.
 */
export const timeLimitFactor = 10;

/**
 * Starts to measure the work of a page. `ms` is the CPU time of its thread, so that other processes do not count.
 * `heapBytes` is the size of the heap after a garbage collection.
 */
export async function watchWork(page: Page) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  const metric = async (name: string) => {
    const { metrics } = await cdp.send('Performance.getMetrics');
    return metrics.find((one) => one.name === name)!.value;
  };
  const from = await metric('TaskDuration');
  return {
    ms: async () => ((await metric('TaskDuration')) - from) * 1_000,
    heapBytes: async () => {
      await cdp.send('HeapProfiler.collectGarbage');
      return metric('JSHeapUsedSize');
    },
  };
}

/** Maximum time of an action in a page, in ms. After it, the error shows the text of the page. */
const actionMsMax = 60_000;

/**
 * Presses a key until the row with this index has the focus. Six presses per frame are faster than any keyboard.
 * Returns the number of frames.
 */
export function holdKey(page: Page, key: string, index: number): Promise<number> {
  return page.evaluate(
    async ([key, index, keysOfFrame, msMax]) => {
      const begun = performance.now();
      const frame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve));
      const at = () => Number(document.activeElement?.closest('tr')?.getAttribute('data-index') ?? -1);
      const press = async () => {
        if (at() >= index) return;
        (document.activeElement ?? document.body).dispatchEvent(
          new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }),
        );
        // Each key press is a task of its own, like those of a keyboard.
        await scheduler.postTask(() => {});
      };
      await frame();
      for (let frames = 1; ; frames++) {
        for (let pressed = 0; pressed < keysOfFrame; pressed++) await press();
        await frame();
        if (at() >= index) return frames;
        if (performance.now() - begun > msMax)
          throw new Error(`The focus is at row ${at()}, not at ${index}: ${document.body.innerText}`);
      }
    },
    [key, index, 6, actionMsMax] as const,
  );
}

/** Scrolls down while more rows load, until a text appears. Returns the number of frames. */
export function scrollToEnd(page: Page, text: string): Promise<number> {
  return page.evaluate(
    async ([wanted, msMax]) => {
      const begun = performance.now();
      for (let frames = 1; ; frames++) {
        scrollTo(0, document.documentElement.scrollHeight);
        await new Promise((resolve) => requestAnimationFrame(resolve));
        const shown = document.querySelector('main footer')?.textContent ?? '';
        if (shown.includes(wanted)) return frames;
        if (performance.now() - begun > msMax) throw new Error(`The list ends with: ${shown}`);
      }
    },
    [text, 4 * actionMsMax] as const,
  );
}

/** Repeats a measurement until it is below the limit, since other processes may delay it. Returns the shortest time. */
export async function quickestMs<Try>(
  limitMs: number,
  tries: Iterable<Try>,
  measure: (one: Try) => Promise<number>,
): Promise<number> {
  let quickest = Infinity;
  for (const one of tries) {
    quickest = Math.min(quickest, await measure(one));
    if (quickest < limitMs) break;
  }
  return quickest;
}

/** Clicks an element. Returns the time in ms until a new element `opens` is painted with a text that matches. */
export function openingMs(page: Page, click: string, opens: string, pattern: string): Promise<number> {
  return page.evaluate(
    async ([click, opens, pattern]) => {
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
      const before = document.querySelector(opens);
      const begun = performance.now();
      document.querySelector<HTMLElement>(click)!.click();
      for (;;) {
        await frame();
        const opened = document.querySelector(opens);
        if (opened && opened !== before && new RegExp(pattern).test(opened.textContent)) break;
      }
      await frame();
      return performance.now() - begun;
    },
    [click, opens, pattern] as const,
  );
}

/** Opens a page. Returns the time in ms until the element `shows` is painted with a text that matches `pattern`. */
export async function firstViewMs(page: Page, address: string, shows: string, pattern: string): Promise<number> {
  await page.addInitScript(
    ([shows, pattern]) => {
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
      const view = async () => {
        while (!new RegExp(pattern).test(document.querySelector(shows)?.textContent ?? '')) await frame();
        await frame();
        return performance.now();
      };
      Object.assign(window, { firstView: view() });
    },
    [shows, pattern] as const,
  );
  await page.goto(address);
  return page.evaluate(() => (window as unknown as { firstView: Promise<number> }).firstView);
}
