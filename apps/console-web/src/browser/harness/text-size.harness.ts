import { until } from '@relata/testing';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Default font sizes of browsers, in px. */
const usual = { standard: 16, fixed: 13 };

/** Doubles the default font size of the browser, and expects that no text is lost. */
export async function expectNothingLostAtTwice(page: Page, name: string): Promise<void> {
  const cdp = await page.context().newCDPSession(page);
  try {
    await cdp.send('Page.setFontSizes', { fontSizes: { standard: usual.standard * 2, fixed: usual.fixed * 2 } });
    expect(await page.evaluate(() => getComputedStyle(document.body).fontSize)).toBe('28px');
    // An overlay moves to its new position a frame later.
    await until(async () => expect(await page.evaluate(lostTexts), `${name}, at 200 %`).toEqual([]));
  } finally {
    await cdp.send('Page.setFontSizes', { fontSizes: usual });
    await cdp.detach();
  }
}

/** Runs in the page. Returns texts that are cut off, outside the page, or covered by other text. */
function lostTexts(): string[] {
  const lost: string[] = [];
  const shown: { text: string; node: Node; box: DOMRect; above: Element | null }[] = [];
  const width = document.documentElement.clientWidth;
  const isLeftOut = (element: Element) =>
    element.closest('[hidden], .sr-only, select, script, noscript, [aria-hidden=true]') !== null ||
    !element.checkVisibility();
  /** Returns the share of a box, from 0 to 1, that its ancestors do not clip. Scrollable content counts as visible. */
  const visiblePart = (box: DOMRect, from: Element | null) => {
    let [left, top, right, bottom] = [box.left, box.top, box.right, box.bottom];
    for (let around = from; around && around !== document.body; around = around.parentElement) {
      const { overflowX, overflowY, clipPath } = getComputedStyle(around);
      if (clipPath !== 'none') return 1;
      const edge = around.getBoundingClientRect();
      if (/hidden|clip/.test(overflowX)) [left, right] = [Math.max(left, edge.left), Math.min(right, edge.right)];
      if (/hidden|clip/.test(overflowY)) [top, bottom] = [Math.max(top, edge.top), Math.min(bottom, edge.bottom)];
      if (/auto|scroll/.test(overflowX + overflowY)) ({ left, top, right, bottom } = edge);
      if (/auto|scroll/.test(overflowX + overflowY)) return 1;
    }
    return (Math.max(0, right - left) * Math.max(0, bottom - top)) / (box.width * box.height);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const [text, element] = [node.textContent!.trim(), node.parentElement!];
    if (!text || isLeftOut(element)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      if (box.width < 2 || box.height < 2) continue;
      const isOutside = box.left < -1 || box.right > width + 1;
      if (visiblePart(box, element) < 0.9) lost.push(`cut off: ${text.slice(0, 60)}`);
      else if (isOutside && !element.closest('[tabindex="0"]')) lost.push(`outside: ${text.slice(0, 60)}`);
      // Records the overlay of each text, because an overlay may cover the page, but texts of one overlay must not
      // overlap.
      shown.push({ text, node, box, above: element.closest('[role=menu], [role=dialog], [role=alertdialog]') });
    }
  }
  const overlap = (one: DOMRect, other: DOMRect) => {
    const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
    const down = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
    return across > 3 && down > Math.min(one.height, other.height) * 0.4;
  };
  for (const [at, one] of shown.entries())
    for (const other of shown.slice(at + 1))
      if (one.node !== other.node && one.above === other.above && overlap(one.box, other.box))
        lost.push(`covered: ${one.text.slice(0, 40)} | ${other.text.slice(0, 40)}`);
  return [...new Set(lost)].slice(0, 10);
}
