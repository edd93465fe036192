import { type Statement, statement } from '@relata/db';
import { type ChannelResponse, teamChannel, until } from '@relata/testing';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dropOldNotices, requestTestMessage } from './index.ts';
import { claimChannels, takeNotices } from './notices/claim.sql.ts';
import { type Notices, openNotices, type StartOptions, textsOf } from './notify.harness.ts';

let notices: Notices;
beforeAll(async () => void (notices = await openNotices()));
afterAll(() => notices[Symbol.asyncDispose]());

/** A time that has passed. Columns round `now()`, up to half a millisecond into the future. */
const past = "now() - interval '1 second'";
const change = (name: string, set: string) =>
  statement<never>(`test.${name}`, `UPDATE notify_channels SET ${set} WHERE org_id = $1`);
const makeDue = change('make_channel_due', `next_at = ${past}`);
const use = change('use_hour', 'hour_sent = 29');
const channelState = statement<{ failures: number; code: string | null; is_claimed: boolean; is_due: boolean }>(
  'test.channel_state',
  `SELECT failures, last_error ->> 'code' AS code, claimed_until IS NOT NULL AS is_claimed, next_at <= now() AS is_due
   FROM notify_channels WHERE org_id = $1`,
);
const noticeAges = statement<never>(
  'test.make_notices_old',
  `UPDATE notices SET since = since - interval '25 hours', last_at = last_at - interval '8 days',
     sent_at = sent_at - interval '8 days' WHERE org_id = $1`,
);
const countNotes = statement<{ n: number }>(
  'test.count_notes_of_failed',
  'SELECT count(*)::integer AS n FROM failed_run_notes WHERE org_id = $1',
);
const countNotices = statement<{ n: number; due: number }>(
  'test.count_notices',
  'SELECT count(*)::integer AS n, count(due_at)::integer AS due FROM notices WHERE org_id = $1',
);

/** Creates an organization with a channel and a failed run, and a notifier that stops at the end of the scope. */
async function failing(name: string, responses: ChannelResponse[], options?: StartOptions) {
  const channel = await teamChannel(...responses);
  const organization = await notices.addOrganization(name, channel);
  const workflow = await organization.apply('lead');
  const query = <Row>(prepared: Statement<Row>) => notices.database.query(prepared, [organization.orgId]);
  const fail = async () => organization.failRuns([await organization.run(workflow)]);
  /** Waits until a notifier has collected all failed runs. */
  const collected = () => until(async () => expect(await query(countNotes)).toEqual([{ n: 0 }]));
  const notifier = options && notices.start(options);
  await fail();
  const dispose = async () => {
    await notifier?.[Symbol.asyncDispose]();
    // The remaining notices must not be sent by the notifiers of other tests.
    await notices.database.query(change('never', "next_at = now() + interval '1 day', claimed_until = NULL"), [
      organization.orgId,
    ]);
  };
  return { ...organization, channel, fail, collected, query, [Symbol.asyncDispose]: dispose };
}

test('a message that certainly did not arrive is sent again later, and includes later failures', async () => {
  await using own = await failing('Down', [503, 404, 200], {});
  for (let sent = 1; sent <= 2; sent++) {
    await until(async () =>
      expect(await own.find()).toMatchObject({ waiting: 1, last_sent_at: null, last_error: { code: 'rejected' } }),
    );
    expect(own.channel.bodies).toHaveLength(sent);
    await own.fail();
    await own.collected();
    await own.query(makeDue);
    await until(() => expect(own.channel.bodies).toHaveLength(sent + 1));
  }
  await until(async () => expect(await own.find()).toMatchObject({ waiting: 0, last_error: null }));
  expect(textsOf(own.channel).map((text) => /Failed runs: (\d+)/.exec(text)![1])).toEqual(['1', '2', '3']);
});

test('a message that may have arrived is sent again only after the quiet time', async () => {
  await using own = await failing('Silent', [() => {}, 200], { quietMs: 9_000 });
  await until(async () => expect(await own.find()).toMatchObject({ last_error: { code: 'timeout' } }));
  await own.fail();
  await own.collected();
  await own.query(makeDue);
  await pause(1_500);
  expect(own.channel.bodies).toHaveLength(1);
  await until(() => expect(own.channel.bodies).toHaveLength(2));
  expect(textsOf(own.channel)[1]).toContain('Failed runs: 2');
});

test('if a worker is killed while it sends, no notice is lost, and none is repeated within the quiet time', async () => {
  const collecting = notices.start({ keys: undefined });
  await using own = await failing('Killed', [200]);
  await until(async () => expect((await own.find())?.waiting).toBe(1));
  await collecting[Symbol.asyncDispose]();
  // Repeats what the killed worker did before it died: it claimed the channel and took the notice.
  await own.query(change('heal', `next_at = ${past}, failures = 0`));
  const claim = (await claimChannels(notices.database, 8, 60_000, false)).find(({ org_id: id }) => id === own.orgId)!;
  expect(await takeNotices(notices.database, claim, 1, 8_000)).toMatchObject([{ counts: { '': 1 } }]);
  await using another = notices.start({ quietMs: 8_000 });
  await own.fail();
  await own.query(change('expire', `claimed_until = ${past}`));
  await pause(1_500);
  expect(own.channel.bodies).toEqual([]);
  await until(() => expect(own.channel.bodies).toHaveLength(1));
  expect(textsOf(own.channel)[0]).toContain('Failed runs: 2');
  // The claim of the killed worker has expired, so it gets no notices.
  expect(await takeNotices(notices.database, claim, 1, 5_000)).toEqual([]);
  expect(another).toBeDefined();
});

test('an organization gets at most 30 messages in an hour, and the last one has all due causes', async () => {
  await using own = await failing('Busy', [200], {});
  await until(() => expect(own.channel.bodies).toHaveLength(1));
  await until(async () => expect((await own.find())?.last_sent_at).not.toBeNull());
  const workflow = await own.apply('other');
  const codes = ['a', 'b', 'c'];
  const ids = await Promise.all(codes.map(() => own.run(workflow)));
  await own.query(use);
  await notices.database.query(
    statement<never>(
      'test.fail_by_code',
      `UPDATE workflow_runs r SET status = 'failed', error = json_build_object('code', g.code)
       FROM unnest($2::uuid[], $3::text[]) AS g (id, code) WHERE r.org_id = $1 AND r.id = g.id`,
    ),
    [own.orgId, ids, codes],
  );
  await until(() => expect(own.channel.bodies).toHaveLength(2));
  expect(textsOf(own.channel)[1]).toContain('Failed runs: 3, 3 causes');
  await own.failRuns([await own.run(workflow)], { code: 'd' });
  await own.query(makeDue);
  await until(async () => expect((await own.find())?.waiting).toBe(1));
  await pause(1_500);
  expect(own.channel.bodies).toHaveLength(2);
});

test('a notice that could not be sent for a day is given up, and dropped after a week', async () => {
  const logLines: string[] = [];
  await using own = await failing('Gone', [410], { logLines });
  await until(async () => expect(await own.find()).toMatchObject({ waiting: 1, last_error: { code: 'rejected' } }));
  await own.query(noticeAges);
  await own.query(makeDue);
  await until(async () => expect(await own.find()).toMatchObject({ waiting: 0 }));
  await until(() => expect(logLines.join('')).toContain('"given_up":1'));
  expect(logLines.join('')).not.toContain('s3cret');
  expect(await own.query(countNotices)).toEqual([{ n: 1, due: 0 }]);
  await dropOldNotices(notices.database);
  expect(await own.query(countNotices)).toEqual([{ n: 0, due: 0 }]);
});

test('a test message is sent at once, even if its channel is waiting after failures, and its outcome is shown', async () => {
  await using own = await failing('Tested', [500, 500, 200], {});
  await until(async () => expect(await own.find()).toMatchObject({ last_error: { code: 'rejected' } }));
  expect(await requestTestMessage(notices.context, own.actor)).toMatchObject({ test: 'waiting' });
  await until(async () => expect(await own.find()).toMatchObject({ test: 'failed' }));
  await requestTestMessage(notices.context, own.actor);
  await until(async () => expect(await own.find()).toMatchObject({ test: 'sent', last_error: null }));
  expect(textsOf(own.channel)[2]).toMatch(/^Test message\nOrganization: Tested\n/);
});

test('a channel that has reached its hourly limit keeps its number of failures and its last error', async () => {
  await using own = await failing('Used up', [500], {});
  await until(async () => expect(await own.find()).toMatchObject({ last_error: { code: 'rejected' } }));
  await own.query(change('use_up', "hour_sent = 30, next_at = now() - interval '1 second'"));
  await until(async () => expect(await own.query(channelState)).toMatchObject([{ is_claimed: false, is_due: false }]));
  expect(await own.query(channelState)).toMatchObject([{ failures: 1, code: 'rejected' }]);
  expect(own.channel.bodies).toHaveLength(1);
});

test('a test message fails if the URL of the channel cannot be decrypted', async () => {
  const without = notices.start({ keys: undefined });
  await using own = await failing('Unreadable', [200]);
  expect(await requestTestMessage(notices.context, own.actor)).toMatchObject({ test: 'waiting' });
  await until(async () =>
    expect(await own.find()).toMatchObject({ test: 'failed', last_error: { code: 'secrets_key_missing' } }),
  );
  await without[Symbol.asyncDispose]();
  expect(await own.find()).toMatchObject({ waiting: 1 });
});

test('without its key a channel reports the missing key, and messages are sent once the key is set', async () => {
  const without = notices.start({ keys: undefined });
  await using own = await failing('Locked', [200]);
  await until(async () => expect(await own.find()).toMatchObject({ last_error: { code: 'secrets_key_missing' } }));
  await without[Symbol.asyncDispose]();
  notices.start({});
  await own.query(makeDue);
  await until(() => expect(own.channel.bodies).toHaveLength(1));
});
