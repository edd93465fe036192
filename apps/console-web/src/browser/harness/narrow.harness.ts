import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Actions that a page of 320 px does not show. They have a shortcut, and the account page has them too. */
const elsewhere = ['Times in UTC'];

/** Lists the actions of a page, or of the overlay above it: labels of buttons and targets of links. */
export async function namesOfActs(page: Page): Promise<string[]> {
  // The menus of rows load after the page; placeholders keep their space.
  await page.locator('span[class^=dots_]').first().waitFor({ state: 'detached' });
  return page.evaluate(findActs, false);
}

/** Expects that all actions of the wide page can be clicked at 320 px, with the menu open. */
export async function expectSameActs(page: Page, name: string, acts: readonly string[]): Promise<void> {
  const reached = new Set([...(await page.evaluate(findActs, true)), ...elsewhere]);
  expect(
    acts.filter((act) => !reached.has(act)),
    `${name}: actions that are missing or covered at 320 px`,
  ).toEqual([]);
}

/**
 * Runs in the page, and returns its actions. On a narrow page, opens the menu, and leaves out actions that are covered
 * or cut off.
 */
async function findActs(isNarrow: boolean): Promise<string[]> {
  const frame = () => new Promise(requestAnimationFrame);
  const isCovered = document.querySelector('[role=dialog], [role=alertdialog]') !== null;
  const menu = isCovered ? null : document.querySelector<HTMLElement>('[aria-label=Menu]');
  if (isNarrow) menu?.click();
  await frame().then(frame);
  const isMet = (element: HTMLElement) => {
    element.scrollIntoView({ block: 'center', inline: 'center' });
    const { left, top, width, height } = element.getClientRects()[0]!;
    return element.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  };
  const acts = [...document.querySelectorAll<HTMLElement>('a[href], button, summary, [role=menuitem]')]
    // The link that skips the menu appears only when it has the focus.
    .filter((act) => act.checkVisibility({ visibilityProperty: true }) && !act.closest('[inert], [href="#page"]'))
    .filter((act) => !isCovered || act.closest('[role=dialog], [role=alertdialog]'))
    .filter((act) => act.getClientRects().length > 0 && (!isNarrow || isMet(act)))
    .map((act) => act.getAttribute('href') ?? act.ariaLabel ?? act.textContent.trim());
  if (isNarrow) menu?.click();
  scrollTo(0, 0);
  await frame();
  return [...new Set(acts)];
}

/** Returns table rows at 320 px that are not shown as cards, or that have a cell without a label. */
export const findCardFaults = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const rows = [...document.querySelectorAll<HTMLTableRowElement>('table > tbody > tr:not([aria-hidden])')];
    return rows
      .filter((row) => row.checkVisibility())
      .flatMap((row) => {
        const cells = [...row.cells].filter((cell) => cell.checkVisibility());
        const boxes = cells.map((cell) => cell.getBoundingClientRect());
        const isStacked = boxes.every(({ top }, at) => at === 0 || top >= boxes[at - 1]!.bottom - 1);
        const unnamed = cells.filter((cell) => getComputedStyle(cell, '::before').content !== `"${cell.dataset.head}"`);
        const faults = [...(isStacked ? [] : [row]), ...unnamed];
        return faults.map((element) => element.outerHTML.slice(0, 200));
      });
  });
