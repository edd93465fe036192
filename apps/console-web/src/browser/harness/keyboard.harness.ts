import { until } from '@relata/testing';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

export const expectFocused = (locator: Locator) =>
  until(async () => expect(await locator.evaluate((element) => element === document.activeElement)).toBe(true));

const stopsMax = 80;

/** Presses Tab, or Shift+Tab, until an element has the focus. Expects the focus to be visible at each stop. */
export async function tabTo(page: Page, locator: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await locator.waitFor();
  const isThere = () => locator.evaluate((element) => element === document.activeElement);
  for (let stops = 0; stops < stopsMax && !(await isThere()); stops++) {
    await page.keyboard.press(key);
    expect(await unseenFocus(page)).toBeUndefined();
  }
  await expectFocused(locator);
}

/** Moves the focus to an element and presses a key. */
export async function tabAndPress(page: Page, locator: Locator, key: 'Enter' | 'Space' = 'Enter'): Promise<void> {
  await tabTo(page, locator);
  await page.keyboard.press(key);
}

/**
 * Returns the HTML of the focused element if its focus is not visible. Between the last and the first element, the
 * document itself has the focus, which is not a fault.
 */
function unseenFocus(page: Page): Promise<string | undefined> {
  return page.evaluate(() => {
    const focused = document.activeElement;
    if (!(focused instanceof HTMLElement) || focused === document.body || focused.matches('[data-base-ui-focus-guard]'))
      return undefined;
    const isOutlined = (element: Element) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2;
    };
    const box = focused.getBoundingClientRect();
    // The element around a field may show the outline instead of the field.
    const isShown = isOutlined(focused) || (focused.matches('textarea') && isOutlined(focused.parentElement!));
    const isSeen = isShown && box.width > 0 && box.height > 0;
    return isSeen ? undefined : focused.outerHTML.slice(0, 200);
  });
}
