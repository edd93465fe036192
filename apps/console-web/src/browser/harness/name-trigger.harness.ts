import type { Page } from 'playwright-core';

/** Fills the dialog that makes a trigger with a secret of its own, opens that, and returns the command that it showed. */
export async function nameTrigger(page: Page, name: string): Promise<string> {
  const form = page.getByRole('dialog', { name: 'Create trigger' });
  await form.getByLabel('Name').fill(name);
  await form.getByRole('button', { name: 'Create trigger' }).click();
  const made = page.getByRole('alertdialog', { name: `The secret of ${name}` });
  const curl = (await made.locator('pre').textContent())!;
  await made.getByLabel('I have stored it').check();
  await made.getByRole('link', { name: 'Open the trigger' }).click();
  return curl;
}
