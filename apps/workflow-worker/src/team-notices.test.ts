import { storeRefusals } from '@relata/workflows/intake';
import { until } from '@relata/testing';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { failing, notifyKeys, startNotified, textsOf } from './team-notices.harness.ts';

/** Time in which the notifier runs several rounds. */
const fewRoundsMs = 4_000;

/** Maximum time until a test sees a message. */
const pollMs = 500;

/** Quiet time for the tests: longer than the pause after each message to an organization plus the next round. */
const quietMs = 8_000;

test('with two workers, a run that fails permanently causes one log line and one message (acceptance S.20)', async () => {
  const { workflows, channel } = await startNotified();
  await using own = workflows;
  const logLines: string[] = [];
  const options = { notifyKeys, logLines, consoleUrl: 'https://crm.example' };
  for (let i = 0; i < 2; i++) await own.openWorker(options);
  const run = await own.run(failing(), { status: 'failed' });
  await until(() => expect(channel.bodies).toHaveLength(1));
  await pause(fewRoundsMs);
  expect(textsOf(channel)).toEqual([
    expect.stringMatching(
      new RegExp(
        `^A run failed\nOrganization: Acme\nWorkflow: welcome\nStep: greet\nError: refused_address\n` +
          `Failed runs: 1, at [-0-9]+ [:0-9]+ UTC\nRun: ${run.id}\n` +
          `Console: https://crm.example/console/o/${own.orgId}/runs/${run.id}\nMessage: 10.1.1.1 is not on the public internet.`,
      ),
    ),
  ]);
  const lines = logLines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.filter(({ level }) => level !== 'info')).toEqual([
    expect.objectContaining({
      level: 'warn',
      msg: 'run failed',
      org_id: own.orgId,
      run_id: run.id,
      trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      workflow: 'welcome',
      step: 'greet',
      code: 'refused_address',
    }),
  ]);
  expect(JSON.stringify(logLines)).not.toContain('s3cret');
});

test('150 failures with one cause result in two messages; the second follows after the quiet time and has the count (acceptance S.20)', async () => {
  const { workflows, channel } = await startNotified();
  await using own = workflows;
  const logLines: string[] = [];
  for (let i = 0; i < 2; i++) await own.openWorker({ notifyKeys, quietMs, logLines });
  const workflowId = await own.apply(failing());
  const deliver = () => own.deliver(workflowId);
  await deliver();
  await until(() => expect(channel.bodies).toHaveLength(1));
  const firstAt = performance.now();
  for (let left = 149; left > 0; left -= 37) await Promise.all(Array.from({ length: Math.min(left, 37) }, deliver));
  await until(() => expect(logLines.filter((line) => line.includes('"run failed"'))).toHaveLength(150));
  await until(() => expect(channel.bodies.length).toBeGreaterThan(1));
  expect(performance.now() - firstAt).toBeGreaterThan(quietMs - pollMs);
  const counts = () => textsOf(channel).map((text) => Number(/Failed runs: (\d+)/.exec(text)![1]));
  await until(() => expect(counts().reduce((sum, count) => sum + count)).toBe(150));
  // A slow machine may need longer than one quiet time for all runs.
  expect(counts().length).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - firstAt) / quietMs));
  expect(textsOf(channel)[1]).toMatch(/^Runs failed\n/);
});

test('an organization without a channel gets no messages, and none are stored for it', async () => {
  const { workflows, channel } = await startNotified();
  await using own = workflows;
  await own.openWorker({ notifyKeys });
  const other = await own.another();
  await other.run(failing('silent'), { status: 'failed' });
  await own.run(failing(), { status: 'failed' });
  await until(() => expect(channel.bodies).toHaveLength(1));
  expect(channel.bodies[0]).toContain('welcome');
  const rows = await own.database.query<{ n: number }>(
    {
      name: 'test.count_notes',
      text: `SELECT (SELECT count(*) FROM failed_run_notes)::integer + (SELECT count(*) FROM notices WHERE org_id = $1)::integer AS n`,
    },
    [other.orgId],
  );
  expect(rows).toEqual([{ n: 0 }]);
});

test('a trigger that refuses posts is reported at once, and again with the reasons after the quiet time', async () => {
  const { workflows, channel } = await startNotified();
  await using own = workflows;
  await own.openWorker({ notifyKeys, quietMs });
  const refuse = (reason: string, refused: number) =>
    storeRefusals(own.database, [], [{ orgId: own.orgId, triggerId: own.triggerId, reason, refused }]);
  await refuse('bad_signature', 3);
  await until(() => expect(channel.bodies).toHaveLength(1));
  const firstAt = performance.now();
  expect(textsOf(channel)[0]).toMatch(
    /^A trigger refuses posts\nOrganization: Acme\nTrigger: Form\nRefused posts: 3, /,
  );
  // Not reported: a browser that opens the URL (405), and a sender that first asks how to authenticate (401).
  await refuse('method_not_allowed', 5);
  const makeBasic = `UPDATE webhook_triggers SET signature = '{"kind":"basic","options":{}}' WHERE id = $1`;
  await own.database.query({ name: 'test.make_basic', text: makeBasic }, [own.triggerId]);
  await refuse('no_signature', 4);
  await refuse('<!channel> \n new reason', 2);
  await refuse('bad_signature', 7);
  await until(() => expect(channel.bodies).toHaveLength(2));
  expect(performance.now() - firstAt).toBeGreaterThan(quietMs - pollMs);
  expect(textsOf(channel)[1]).toContain('Refused posts: 9, ');
  expect(textsOf(channel)[1]).toContain('Reasons: bad_signature (7), &lt;!channel&gt; new reason (2)');
});
