import { describeInBrowser, until } from '@relata/testing';
import { expect, test } from 'vitest';
import { demoAnswer, refusal } from './answer.harness.ts';
import { expectFocus, expectText, type TestPage, openPage } from './page.harness.ts';
import { useSite } from './site.harness.ts';

describeInBrowser('A form that a visitor fills in', (browser) => {
  const site = useSite();

  const bookDemo = ({ page }: TestPage) => page.getByRole('button', { name: 'Book a demo' }).click();
  const field = ({ page }: TestPage, name: string) => page.locator(`.demo-form [name="${name}"]`);
  // A click would have to hit the button while the view scrolls to it.
  const retry = ({ page }: TestPage) => page.getByRole('button', { name: 'Try again' }).press('Enter');

  test('stays above a newer answer, and "Book a demo" returns to it', async () => {
    await using tab = await openPage(browser(), site);
    await bookDemo(tab);
    await field(tab, 'name').fill('Ada');
    await tab.ask('What does it cost?');
    await expectText(tab.answers.nth(1), 'Fine.');
    await bookDemo(tab);
    await expectFocus(field(tab, 'work_email'));
    expect(await field(tab, 'name').inputValue()).toBe('Ada');
    expect(await tab.page.locator('.demo-form').count()).toBe(1);
  });

  test('stays while a failed question is asked again; once the form is sent, its thanks stay as well', async () => {
    await using tab = await openPage(browser(), site);
    site.answers.push(refusal(503, 'service_unavailable'), refusal(503, 'service_unavailable'));
    await tab.ask('What does it cost?');
    await tab.page.locator('.notice').waitFor();
    await bookDemo(tab);
    await field(tab, 'name').fill('Ada');
    await retry(tab);
    await until(() => expect(site.questions).toHaveLength(2));
    await tab.page.locator('.notice').waitFor();
    expect(await field(tab, 'name').inputValue()).toBe('Ada');
    await field(tab, 'work_email').fill('ada@robotics.example');
    await tab.page.locator('.demo-form .primary').click();
    await tab.page.locator('.thanks').waitFor();
    await retry(tab);
    await expectText(tab.answers.last(), 'Fine.');
    expect(await tab.page.locator('.thanks').count()).toBe(1);
    expect(site.questions.map(({ messages }) => messages.length)).toEqual([1, 1, 1]);
  });

  test('stays when the answer that offered it was cut off and is asked again', async () => {
    await using tab = await openPage(browser(), site);
    site.answers.push((stream, response) =>
      demoAnswer('Please check', {})({ ...stream, finish: () => stream.raw('data: [DONE]\n\n') }, response),
    );
    await tab.ask('Can I see a demo?');
    await field(tab, 'name').fill('Ada');
    await retry(tab);
    await expectText(tab.answers.last(), 'Fine.');
    expect(await field(tab, 'name').inputValue()).toBe('Ada');
    expect(site.questions[1]!.messages).toHaveLength(1);
  });
});
