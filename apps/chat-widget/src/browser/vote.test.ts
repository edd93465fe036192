import { describeInBrowser, until } from '@relata/testing';
import { expect, test } from 'vitest';
import { demoAnswer } from './answer.harness.ts';
import { expectText, openPage } from './page.harness.ts';
import { useSite } from './site.harness.ts';

describeInBrowser('A vote on an answer', (browser) => {
  const site = useSite();

  test('a vote is sent once, with the id of the answer and no text, and survives a reload', async () => {
    await using tab = await openPage(browser(), site);
    for (const question of ['First?', 'Second?']) {
      const count = await tab.answers.count();
      await tab.ask(question);
      await expectText(tab.answers.nth(count), 'Fine.');
    }
    const up = tab.page.getByLabel('Good answer');
    const down = tab.page.getByLabel('Bad answer');
    const pressed = () => up.or(down).evaluateAll((buttons) => buttons.map((button) => button.ariaPressed));
    expect(await pressed()).toEqual(['false', 'false', 'false', 'false']);
    await up.first().click();
    await down.first().click({ force: true });
    await up.first().click({ force: true });
    await down.nth(1).click();
    await until(() => expect(site.votes).toHaveLength(2));
    await until(async () => expect(await pressed()).toEqual(['true', 'false', 'false', 'true']));
    const [first, second] = site.votes;
    expect(first).toEqual({ answer_id: expect.stringMatching(/^[0-9a-f]{32}$/), vote: 'up' });
    expect(second).toEqual({ answer_id: expect.stringMatching(/^[0-9a-f]{32}$/), vote: 'down' });
    expect(second!.answer_id).not.toBe(first!.answer_id);
    expect(new Set(site.keys)).toEqual(new Set(['relata_pk_test']));
    await tab.page.reload();
    await tab.page.locator('.votes').nth(1).waitFor();
    expect(await pressed()).toEqual(['true', 'false', 'false', 'true']);
    await down.first().click({ force: true });
    await tab.ask('Third?');
    await until(() => expect(site.questions).toHaveLength(3));
    expect(site.votes).toHaveLength(2);
  });

  test('votes are shown only below whole answers: not while one arrives, below a stopped one, or with a form', async () => {
    await using tab = await openPage(browser(), site);
    const votes = tab.page.locator('.votes');
    site.answers.push(async (stream) => {
      stream.say('The beginning');
      await stream.closed;
    });
    await tab.ask('?');
    await expectText(tab.answers, 'The beginning');
    expect(await votes.count()).toBe(0);
    await tab.page.getByLabel('Stop the answer').click();
    await expectText(tab.page.locator('.answer'), 'You stopped this answer.');
    site.answers.push(demoAnswer('Please check the form.', {}));
    await tab.ask('A demo?');
    await tab.page.locator('.demo-form').waitFor();
    expect(await votes.count()).toBe(0);
    await tab.ask('And?');
    await expectText(tab.answers.nth(2), 'Fine.');
    expect(await votes.count()).toBe(1);
  });

  test('a vote that does not arrive shows no error', async () => {
    await using tab = await openPage(browser(), site);
    await tab.ask('?');
    await expectText(tab.answers, 'Fine.');
    await tab.page.context().setOffline(true);
    const good = tab.page.getByLabel('Good answer');
    await good.click();
    await expect.poll(() => good.getAttribute('aria-pressed')).toBe('true');
    await tab.page.context().setOffline(false);
    await tab.ask('And?');
    await expectText(tab.answers.nth(1), 'Fine.');
    expect(await tab.page.locator('.notice').count()).toBe(0);
  });
});
