import { firstRow, listWith, statement } from '@relata/db';
import { operatorActor } from '@relata/events';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Notices, openNotices } from '../notify.harness.ts';
import { removeNotifyChannel, requestTestMessage } from '../index.ts';
import { type Claim, claimChannels, giveUpOld, recordSent, recordUnsent, takeNotices } from './claim.sql.ts';

let notices: Notices;
beforeAll(async () => void (notices = await openNotices()));
afterAll(() => notices[Symbol.asyncDispose]());

const url = 'https://hooks.slack.com/services/T/B/s3cret';

const addNotice = listWith<never, [orgId: string, cause: string]>(
  'test.add_notice',
  `INSERT INTO notices (org_id, kind, cause, sending, since, last_at, due_at)
   SELECT $1, 'failed_run', $2, '{"": 1}', t.at, t.at, t.at FROM (
     SELECT now() - interval '2 days' - ascii(substr($2, 3)) * interval '1 second' AS at
   ) t`,
);
const lockNotice = statement<{ cause: string }>(
  'test.lock_notice',
  'SELECT cause FROM notices WHERE org_id = $1 AND cause = $2 FOR UPDATE NOWAIT',
);

/** Returns the claim of a new channel with three notices. The last notice by name has been due for the longest time. */
async function claimed(name: string): Promise<Claim> {
  const { orgId } = await notices.addOrganization(name, { url });
  for (const cause of ['["c"]', '["b"]', '["a"]']) await addNotice(notices.database, orgId, cause);
  const claims = await claimChannels(notices.database, 100, 60_000, false);
  return claims.find(({ org_id: id }) => id === orgId)!;
}

const taken = ['["c"]', '["a"]', '["b"]'].map((key) => ({
  kind: 'failed_run',
  key,
  cause: [],
  counts: {},
  example: null,
  since: '',
  last_at: '',
}));

const works = [
  ['taking', (claim) => takeNotices(notices.database, claim, 2, 1_000)],
  ['recording a success', (claim) => recordSent(notices.database, claim, taken, 1_000)],
  ['recording a failure', (claim) => recordUnsent(notices.database, claim, taken, false)],
  ['giving up', ({ org_id: orgId }) => giveUpOld(notices.database, orgId)],
] satisfies [string, (claim: Claim) => Promise<unknown>][];

test.each<[string, (claim: Claim) => Promise<unknown>]>(works)(
  '%s locks notices in the order of the collectors, so that neither waits for the other',
  async (name, work) => {
    const claim = await claimed(name);
    let working: Promise<unknown> | undefined;
    await notices.database.transaction(async (db) => {
      await firstRow(db, lockNotice, [claim.org_id, name === 'taking' ? '["b"]' : '["a"]']);
      working = work(claim);
      working.catch(() => undefined);
      await pause(300);
      expect(await firstRow(db, lockNotice, [claim.org_id, '["c"]'])).toBeDefined();
    });
    await working;
  },
);

test.each<[string, (claim: Claim) => Promise<unknown>]>(works)(
  '%s and removing the channel, which deletes its notices, do not wait for each other',
  async (_name, work) => {
    const claim = await claimed('Removed');
    const actor = operatorActor(claim.org_id, 'test');
    const both: Promise<unknown>[] = [];
    await notices.database.transaction(async (db) => {
      await firstRow(db, lockNotice, [claim.org_id, '["b"]']);
      both.push(work(claim));
      await pause(200);
      both.push(removeNotifyChannel(notices.context, actor));
      await pause(200);
    });
    expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
  },
);

test('a channel that replaces another shows no result of test messages to the other, even if one is being sent', async () => {
  const { orgId, actor, set, find } = await notices.addOrganization('Replaced', { url });
  const sendTest = async () => {
    await requestTestMessage(notices.context, actor);
    const claims = await claimChannels(notices.database, 100, 60_000, false);
    const claim = claims.find(({ org_id: id }) => id === orgId)!;
    const sending = await takeNotices(notices.database, claim, 1, 60_000);
    return () => recordSent(notices.database, claim, sending, 1_000);
  };
  const arrived = await sendTest();
  await arrived();
  expect(await find()).toMatchObject({ test: 'sent' });
  await set({ url: `${url}-2` });
  expect(await find()).toMatchObject({ test: null });
  const arrivesLate = await sendTest();
  await set({ url: `${url}-3` });
  expect(await find()).toMatchObject({ test: null });
  await requestTestMessage(notices.context, actor);
  await arrivesLate();
  expect(await find()).toMatchObject({ test: 'waiting' });
});
