import { until } from '@relata/testing';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { findCardFaults, expectSameActs, namesOfActs } from './narrow.harness.ts';
import { expectNothingLostAtTwice } from './text-size.harness.ts';

export const wide = { width: 1280, height: 800 };
export const phone = { width: 320, height: 640 };

/**
 * Checks the general requirements for a page and the overlay above it: axe finds nothing in either theme, at 1280 and
 * 320 px. At 320 px nothing scrolls sideways, tables are cards, and all actions remain. At twice the text size no text
 * is lost.
 */
export async function expectSound(page: Page, name: string): Promise<void> {
  await page.setViewportSize(wide);
  await loadAxe(page);
  await page.emulateMedia({ colorScheme: 'light' });
  expect(await faultsOf(page), `${name}, light`).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await faultsOf(page, contrast), `${name}, dark`).toEqual([]);
  const acts = await namesOfActs(page);
  await page.setViewportSize(phone);
  await expectSoundNarrow(page, name, acts);
  await page.setViewportSize(wide);
  await expectNothingLostAtTwice(page, name);
}

const contrast: axe.RunOptions = { runOnly: ['color-contrast'] };
/** Rules at 320 px for a page without cards, which has the same colours as at 1280 px. */
const layout: axe.RunOptions = { rules: { 'color-contrast': { enabled: false } } };

/** Time within which a page changes to its narrow layout. */
const narrowWithinMs = 5_000;

async function expectSoundNarrow(page: Page, name: string, acts: readonly string[]): Promise<void> {
  const hasCards = (await page.locator('table:visible').count()) > 0;
  // The page may still be changing to its narrow layout, so only a fault that stays counts.
  const isSound = async () => expect(await faultsOf(page, hasCards ? {} : layout), `${name}, dark, 320 px`).toEqual([]);
  await until(isSound, narrowWithinMs);
  if (hasCards) {
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await faultsOf(page, contrast), `${name}, light, 320 px`).toEqual([]);
    expect(await findCardFaults(page), `${name}: rows that are not cards`).toEqual([]);
  }
  expect(await sidewaysOf(page), `${name} scrolls sideways`).toBe(0);
  await expectSameActs(page, name, acts);
}

async function loadAxe(page: Page): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
}

function faultsOf(page: Page, options: axe.RunOptions = {}): Promise<string[]> {
  return page.evaluate(async (given) => {
    const { axe: loaded } = window as unknown as { axe: typeof axe };
    // Checks only the dialog. The page below it is checked when no dialog is open.
    const dialogs = ['[role=dialog]', '[role=alertdialog]'].filter((one) => document.querySelector(one));
    // Excludes the focus guards of a menu, which are focusable only while they move the focus on.
    const page = {
      ...(dialogs.length > 0 && { include: dialogs.map((one) => [one]) }),
      exclude: [['[data-base-ui-focus-guard]']],
    };
    const { violations } = await loaded.run(page, { resultTypes: ['violations'], ...given });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
  }, options);
}

const sidewaysOf = (page: Page) =>
  page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth));
