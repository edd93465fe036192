import { createOrganization } from '@relata/auth';
import { until } from '@relata/testing';
import { expect, test } from 'vitest';
import { Browser, goodPassword, joinAs, newEmail } from './console-client.harness.ts';
import { startTestConsole } from './console.harness.ts';

/** Number of guesses. No machine can hash so many in two slots while twelve people sign in. */
const guesses = 300;
const peopleOfEachKind = 4;
let addresses = 0;
const newIp = () => `10.1.${addresses >> 8}.${addresses++ & 255}`;

test('people with the right password do not wait behind a storm of guesses: 12 of 12 are signed in before half of the guesses are compared (found A3)', async () => {
  await using served = await startTestConsole({ proxies: 1 });
  const { id: orgId } = await createOrganization(served.db.database, 'Acme');
  const signIn = (email: string, password: string, { ip = newIp(), browser = new Browser(served.url) } = {}) =>
    browser.send('POST', '/console/api/sign-in', {
      body: { email, password },
      headers: { 'X-Forwarded-For': ip },
    });
  const newPerson = async () => {
    const email = newEmail();
    await joinAs(served.db, orgId, 'viewer', email);
    return { email, ip: newIp(), browser: new Browser(served.url) };
  };
  const people = await Promise.all(Array.from({ length: 3 * peopleOfEachKind }, newPerson));
  const [byBrowser, byAddress, strangers] = [0, 1, 2].map((kind) => people.filter((_, at) => at % 3 === kind));
  for (const { email, ip, browser } of [...byBrowser!, ...byAddress!])
    expect((await signIn(email, goodPassword, { ip, browser })).status).toBe(200);

  /** Number of guesses that were hashed. A slow machine refuses guesses that have waited for five seconds. */
  let compared = 0;
  const storm = Array.from({ length: guesses }, () =>
    signIn(newEmail(), 'wrong horse battery').then(({ status }) => {
      if (status === 403) compared++;
      return status;
    }),
  );
  // Once the first guess was hashed, the others are waiting.
  await until(() => expect(compared).toBeGreaterThan(0));
  const statuses = await Promise.all([
    ...byBrowser!.map(({ email, browser }) => signIn(email, goodPassword, { browser })),
    ...byAddress!.map(({ email, ip }) => signIn(email, goodPassword, { ip })),
    ...strangers!.map(({ email }) => signIn(email, goodPassword)),
  ]);
  const comparedBefore = compared;
  expect(statuses.map(({ status }) => status)).toEqual(Array(people.length).fill(200));
  expect(comparedBefore).toBeLessThan(guesses / 2);
  // The responses to the storm never reveal whether an address exists.
  for (const status of await Promise.all(storm)) expect([403, 503]).toContain(status);
});
