import type { Page } from 'playwright-core';

/** Creates a trigger with a secret of its own in the open dialog, and returns the command that its page shows. */
export async function nameTrigger(page: Page, name: string): Promise<string> {
  const form = page.getByRole('dialog', { name: 'Create trigger' });
  await form.getByLabel('Name').fill(name);
  await form.getByRole('button', { name: 'Create trigger' }).click();
  const made = page.getByRole('region', { name: `Secret of ${name}` });
  const curl = (await made.locator('pre').textContent())!;
  await made.getByLabel('I have stored it').check();
  await made.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('link', { name: 'Listen & map' }).click();
  return curl;
}
