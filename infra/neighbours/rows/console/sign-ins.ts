import { createOrganization } from '@relata/auth';
import type { Database } from '@relata/db';
import { operatorActor } from '@relata/events';
import { inviteMember, redeemLink } from '@relata/people';
import { atRate, waited } from '../../flood/load-shapes.ts';
import { HttpClient } from '@relata/testbed/http-client';
import { neighbour } from '../../neighbour.ts';
import { visitorAddress } from '../../probe/asks.ts';

/** Sign-ins per second: one and a half times as many as two cores can hash. */
const perSecond = 120;
const people = 8;
const personEveryMs = 500;
const longestMs = 5_000;
const password = 'correct horse battery';

/** Sign-ins with wrong passwords, each from a new address; one in ten is for an existing person. */
export const signIns = neighbour<{ people: string[]; guessedAt: string[] }>({
  name: 'sign-ins',
  flood: `${perSecond} sign-ins a second with wrong passwords, each from a different address`,
  probes: ['console'],
  apps: ['console'],
  lastsMs: 10_000,
  async prepare({ database }) {
    const { id: orgId } = await createOrganization(database, 'Signs in');
    const join = (count: number) => Promise.all(Array.from({ length: count }, () => newPerson(database, orgId)));
    return { people: await join(people), guessedAt: await join(people) };
  },
  responses: { status: [403, 429, 503], person: [200] },
  async run({ urls, own, signal, count }) {
    using client = new HttpClient(urls['console']!);
    const signIn = (email: string, given: string) =>
      client.statusOf({
        method: 'POST',
        path: '/console/api/sign-in',
        headers: { 'sec-fetch-site': 'same-origin', 'x-forwarded-for': visitorAddress() },
        body: { email, password: given },
        signal,
      });
    const storm = atRate(signal, perSecond, async (turn) => {
      const email = turn % 10 === 0 ? own.guessedAt[turn % people]! : `${turn}@nobody.example`;
      const status = await signIn(email, 'wrong horse battery');
      if (!signal.aborted) count(`status ${status}`);
    });
    for (let turn = 0; !signal.aborted; turn++) {
      const beganAt = performance.now();
      const status = await signIn(own.people[turn % people]!, password);
      if (!signal.aborted) count(`person ${status}`);
      if (performance.now() - beganAt > longestMs) count('waited for too long');
      await waited(personEveryMs, signal);
    }
    await storm;
  },
  // The first sign-ins have waited for the maximum time.
  hasEffect: ({ figures }) => (figures['status 503'] ?? 0) > 0 && (figures['person 200'] ?? 0) > 0,
  verify: ({ figures }) =>
    figures['waited for too long'] ? ['a person with the right password waited for more than 5 s'] : [],
});

async function newPerson(database: Database, orgId: string): Promise<string> {
  const email = `${crypto.randomUUID()}@healthy.example`;
  const { link } = await inviteMember({ database }, operatorActor(orgId, 'sign-ins'), { email, role: 'viewer' });
  const client = { ip: '127.0.0.1', userAgent: 'neighbours' };
  const redeeming = { client, maxMs: 86_400_000, requestId: 'sign-ins', currentPersonId: undefined };
  await redeemLink({ database }, { token: link.token, name: 'Healthy', new_password: password }, redeeming);
  return email;
}
