import { statement } from '@relata/db';
import { teamChannel, until } from '@relata/testing';
import { storeRefusals } from '@relata/workflows/intake';
import { setProblemState } from '@relata/workflows/runs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { removeNotifyChannel } from './index.ts';
import { type Notices, openNotices, textsOf } from './notify.harness.ts';

let notices: Notices;
beforeAll(async () => void (notices = await openNotices()));
afterAll(() => notices[Symbol.asyncDispose]());

/** Waits for several rounds of the notifiers. */
const fewRounds = () => pause(1_500);

const countNotes = statement<{ n: number }>(
  'test.count_notes',
  'SELECT count(*)::integer AS n FROM failed_run_notes WHERE org_id = $1',
);

const countStartNotes = statement<{ n: number }>(
  'test.count_start_notes',
  'SELECT count(*)::integer AS n FROM refused_start_notes WHERE org_id = $1',
);

const addStaleNotes = statement<never>(
  'test.add_stale_notes',
  `WITH runs AS (INSERT INTO failed_run_notes (org_id, run_id) VALUES ($1, $2))
   INSERT INTO refused_start_notes (org_id, delivery_id) VALUES ($1, $3)`,
);

test('two workers send each cause of each organization once (acceptance S.20)', async () => {
  const channels = await Promise.all(Array.from({ length: 5 }, () => teamChannel()));
  const organizations = await Promise.all(channels.map((channel, i) => notices.addOrganization(`Org ${i}`, channel)));
  for (let i = 0; i < 2; i++) notices.start();
  await Promise.all(
    organizations.map(async ({ apply, run, failRuns }, i) => {
      const workflow = await apply('lead');
      for (let n = 0; n < 20; n++) {
        const ids = [await run(workflow), await run(workflow)];
        await failRuns(ids, { step: 'log', code: `code_${i}_${n % 2}`, message: 'no' });
      }
    }),
  );
  await until(() => expect(channels.map(({ bodies }) => bodies.length)).toEqual([2, 2, 2, 2, 2]));
  await fewRounds();
  for (const [i, channel] of channels.entries()) {
    const codes = textsOf(channel).map((text) => /Error: (\S+)/.exec(text)![1]);
    expect(new Set(codes)).toEqual(new Set([`code_${i}_0`, `code_${i}_1`]));
  }
});

test('no message reports a run that was retried or a problem that is ignored', async () => {
  const channel = await teamChannel();
  const { actor, orgId, apply, run, failRuns } = await notices.addOrganization('Acme', channel);
  const workflow = await apply('lead');
  const [retried, ignored, reported] = [await run(workflow), await run(workflow), await run(workflow)];
  // In one transaction, so that no worker collects between the two statements.
  await notices.database.transaction(async (db) => {
    await db.query(
      statement<never>(
        'test.fail_one',
        `UPDATE workflow_runs SET status = 'failed', error = '{"code":"retried"}' WHERE org_id = $1 AND id = $2`,
      ),
      [orgId, retried],
    );
    await db.query(
      statement<never>(
        'test.retry_one',
        `UPDATE workflow_runs SET status = 'queued', error = NULL WHERE org_id = $1 AND id = $2`,
      ),
      [orgId, retried],
    );
  });
  await notices.database.transaction(async (db) => {
    const text = `UPDATE workflow_runs SET status = 'failed', finished_at = now(), error = '{"step":"log","code":"ignored","message":"x"}' WHERE org_id = $1 AND id = $2`;
    await db.query(statement<never>('test.fail_ignored', text), [orgId, ignored]);
    const cause = { workflowId: workflow, step: 'log', code: 'ignored', state: 'ignored' } as const;
    await setProblemState(
      { database: { query: (...given) => db.query(...given), transaction: (work) => work(db) } },
      actor,
      cause,
    );
  });
  await failRuns([reported]);
  await until(() => expect(channel.bodies).toHaveLength(1));
  await fewRounds();
  expect(channel.bodies).toHaveLength(1);
  expect(textsOf(channel)[0]).toContain(`Run: ${reported}`);
  expect(await notices.database.query(countNotes, [orgId])).toEqual([{ n: 0 }]);
});

test('only failures after the channel was set are reported, and none after it was removed', async () => {
  const channel = await teamChannel();
  const { actor, orgId, triggerId, set, apply, run, failRuns, refuseStart } = await notices.addOrganization('Late');
  const workflow = await apply('lead');
  const refuse = (reason: string) => storeRefusals(notices.database, [], [{ orgId, triggerId, reason, refused: 5 }]);
  await refuse('before');
  const failed = await run(workflow);
  await failRuns([failed], { step: 'log', code: 'before', message: 'x' });
  // Adds stale notes: a transaction that is still open while a channel is removed can leave such notes.
  await notices.database.query(addStaleNotes, [orgId, failed, await refuseStart(workflow, 'before')]);
  await set(channel);
  await refuse('after');
  await failRuns([await run(workflow)], { step: 'log', code: 'after', message: 'x' });
  await until(() => expect(channel.bodies).toHaveLength(2));
  const said = textsOf(channel).join('\n');
  expect(said).toContain('Reasons: after (5)');
  expect(said).toContain('Error: after');
  expect(said).not.toContain('before');
  await removeNotifyChannel(notices.context, actor);
  await refuse('removed');
  await failRuns([await run(workflow)]);
  await fewRounds();
  expect(channel.bodies).toHaveLength(2);
  expect(await notices.database.query(countNotes, [orgId])).toEqual([{ n: 0 }]);
});

test('one message reports all deliveries that lack an input of a workflow; those of an ignored problem are not reported', async () => {
  const channel = await teamChannel();
  const { actor, orgId, triggerId, apply, refuseStart } = await notices.addOrganization('Refusing', channel);
  const workflow = await apply('lead');
  await notices.database.transaction(async (db) => {
    await refuseStart(workflow, 'phone', db);
    const cause = { workflowId: workflow, step: `${triggerId}/phone`, code: 'required', state: 'ignored' } as const;
    await setProblemState(
      { database: { query: (...given) => db.query(...given), transaction: (work) => work(db) } },
      actor,
      cause,
    );
  });
  for (let i = 0; i < 3; i++) await refuseStart(workflow, 'phone');
  const last = await refuseStart(workflow, 'email');
  await until(() => expect(channel.bodies).toHaveLength(1));
  await fewRounds();
  const [text, ...others] = textsOf(channel);
  expect(others).toEqual([]);
  expect(text).toMatch(
    /^A workflow did not start.*\nOrganization: Refusing\nWorkflow: lead\nTrigger: Form\nInput: email\nError: required\n/,
  );
  expect(text).toContain(`Latest delivery: ${last}`);
  expect(await notices.database.query(countStartNotes, [orgId])).toEqual([{ n: 0 }]);
});

test('text from outside notifies nobody and forges no field', async () => {
  const channel = await teamChannel();
  const { apply, run, failRuns } = await notices.addOrganization('A\nWorkflow: forged', channel);
  const message = 'no\nRun: forged <!channel> <https://evil.example|Acme> \u202e @everyone';
  await failRuns([await run(await apply('lead'))], { step: 'log', code: 'x', message });
  await until(() => expect(channel.bodies).toHaveLength(1));
  const [text] = textsOf(channel);
  expect(text!.split('\n').filter((line) => line.startsWith('Run: '))).toHaveLength(1);
  expect(text).toContain('Organization: A Workflow: forged\n');
  expect(channel.bodies[0]).toContain('&lt;!channel&gt;');
  expect(channel.bodies[0]).not.toMatch(/<!channel>|<https|\u202e/);
});

test('many causes at once are one message with their sums', async () => {
  const channel = await teamChannel();
  const { orgId, apply, run } = await notices.addOrganization('Flooded', channel);
  const workflow = await apply('lead');
  const ids = await Promise.all(Array.from({ length: 40 }, () => run(workflow)));
  await notices.database.transaction(async (db) => {
    const text = `UPDATE workflow_runs r SET status = 'failed', finished_at = now(), error = json_build_object('step', 'log', 'code', 'code_' || g.n % 20, 'message', 'x')
     FROM unnest($2::uuid[]) WITH ORDINALITY AS g (id, n) WHERE r.org_id = $1 AND r.id = g.id`;
    await db.query(statement<never>('test.fail_differently', text), [orgId, ids]);
  });
  await until(() => expect(channel.bodies).toHaveLength(1));
  await fewRounds();
  expect(channel.bodies).toHaveLength(1);
  const [text] = textsOf(channel);
  expect(text).toMatch(/^Many problems at once\nOrganization: Flooded\nFailed runs: 40, 20 causes\nMost frequent: /);
  expect(text).toMatch(/Error: code_\d+, Failed runs: 2/);
});
