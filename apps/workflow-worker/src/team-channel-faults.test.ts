import { findNotifyChannel } from '@relata/notify';
import { teamChannel, until } from '@relata/testing';
import { expect, test } from 'vitest';
import { failing, notifyKeys, setChannel, startNotified } from './team-notices.harness.ts';
import { startWorkflows } from './workflow-worker.harness.ts';

test('a channel that does not respond delays neither runs nor the messages of another organization', async () => {
  const { workflows, channel: hanging } = await startNotified(() => {});
  await using own = workflows;
  const channel = await teamChannel();
  const other = await own.another();
  await setChannel(own, other.orgId, channel);
  await own.openWorker({ notifyKeys });
  await own.run(failing(), { status: 'failed' });
  await until(() => expect(hanging.bodies).toHaveLength(1));
  const begun = performance.now();
  await other.run(failing('other'), { status: 'failed' });
  await until(() => expect(channel.bodies).toHaveLength(1));
  expect(performance.now() - begun).toBeLessThan(5_000);
  expect(hanging.bodies).toHaveLength(1);
});

test('a message that certainly did not arrive is sent again; a message that may have arrived is not, within the quiet time', async () => {
  const { workflows, channel } = await startNotified(500, 200);
  await using own = workflows;
  await own.openWorker({ notifyKeys });
  await own.run(failing(), { status: 'failed' });
  await until(() => expect(channel.bodies).toHaveLength(1));
  const makeDue = {
    name: 'test.make_channel_due',
    text: 'UPDATE notify_channels SET next_at = now() WHERE failures = 1',
  };
  await until(async () => {
    await own.database.query(makeDue, []);
    expect(channel.bodies).toHaveLength(2);
  });
  expect(channel.bodies[1]).toBe(channel.bodies[0]);
});

test('an organization cannot make the worker post to an internal address', async () => {
  await using own = await startWorkflows();
  const channel = await teamChannel();
  await setChannel(own, own.orgId, { url: channel.url.replace('127.0.0.1', '127.0.0.2') });
  const logLines: string[] = [];
  await own.openWorker({ notifyKeys, logLines });
  await own.run(failing(), { status: 'failed' });
  await until(async () =>
    expect(await findNotifyChannel(own.database, own.orgId)).toMatchObject({ last_error: { code: 'refused_address' } }),
  );
  expect(logLines.join('')).not.toContain('s3cret');
  expect(channel.bodies).toEqual([]);
});
