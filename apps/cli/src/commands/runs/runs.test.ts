import { randomUUID } from 'node:crypto';
import { Messaging, runsReady } from '@relata/messaging';
import { until } from '@relata/testing';
import { findRun } from '@relata/workflows/runs';
import { beforeAll, describe, expect, test } from 'vitest';
import { natsUrl, setUpCli } from '../../cli.harness.ts';
import { type Assigned, deliver, fail, makeAssigned, wait, work } from '../deliveries/deliveries.harness.ts';
import { inboundLead, makeWorkflow } from '../workflows/workflows.harness.ts';
import { followRuns } from './follow-runs.ts';
import { runReference } from './retry-and-cancel.ts';

const cli = setUpCli();
let acme: Assigned;

beforeAll(async () => {
  acme = await makeAssigned(cli.database());
});

async function makeRun(owner = acme): Promise<string> {
  return (await deliver(cli.database(), owner, '{"email":"ada@example.com"}')).runId;
}

async function makeFailed(owner = acme): Promise<string> {
  const id = await makeRun(owner);
  await fail(cli.database(), owner.orgId, id);
  return id;
}

const statusOf = async (id: string) => (await findRun(cli.database(), acme.orgId, id))?.status;
const idsOf = (list: { id: string }[]) => list.map(({ id }) => id);

test('runs are listed, the newest first, by organization, status, workflow and trigger', async () => {
  const globex = await makeAssigned(cli.database());
  const [failed, queued, foreign] = [await makeFailed(), await makeRun(), await makeFailed(globex)];
  expect(idsOf(await cli.json('runs', 'list'))).toEqual([foreign, queued, failed]);
  expect(idsOf(await cli.json('runs', 'list', '--status', 'failed', '--before', foreign))).toEqual([failed]);
  expect(idsOf(await cli.json('runs', 'list', '--status', 'queued'))).toEqual([queued]);
  const ofWorkflow = await cli.json('runs', 'list', '--workflow', 'inbound-lead', '--org', globex.orgId);
  expect(idsOf(ofWorkflow)).toEqual([foreign]);
  expect(idsOf(await cli.json('runs', 'list', '--trigger', globex.triggerId))).toEqual([foreign]);
  expect(await cli.json('runs', 'list', '--trigger', globex.triggerId, '--status', 'queued')).toEqual([]);
  expect(await cli.fault('runs', 'list', '--trigger', globex.orgId)).toMatchObject({ code: 3, error: 'not_found' });
  const { stdout } = await cli.run(['runs', 'list', '--org', acme.orgId, '--status', 'failed']);
  expect(stdout).toMatch(new RegExp(`^${failed} +inbound-lead +failed .*step tell: The channel answered`, 'm'));
});

test('--status retrying lists the waiting runs whose step will be tried again, of one organization and of all', async () => {
  const other = await makeAssigned(cli.database());
  const [retrying, pausing] = [await makeRun(), await makeRun()];
  const foreign = await makeRun(other);
  await wait(cli.database(), acme.orgId, retrying, { isRetrying: true });
  await wait(cli.database(), acme.orgId, pausing, { isRetrying: false });
  await wait(cli.database(), other.orgId, foreign, { isRetrying: true });
  const listed = async (...more: string[]) => idsOf(await cli.json('runs', 'list', '--status', ...more));
  expect(await listed('retrying', '--org', acme.orgId)).toEqual([retrying]);
  expect(await listed('retrying')).toEqual([foreign, retrying]);
  expect(await listed('waiting', '--org', acme.orgId)).toEqual([pausing, retrying]);
});

test('a run is shown with each step, its failures and its times', async () => {
  const id = await makeFailed();
  const shown = await cli.json('runs', 'show', id);
  expect(shown).toMatchObject({ id, status: 'failed', inputs: { email: 'ada@example.com' }, error: { step: 'tell' } });
  expect(shown.steps).toMatchObject([
    { id: 'log', path: 'log', use: 'activity.create', status: 'succeeded', output: { id: 'made' }, failures: [] },
    { id: 'tell', status: 'failed', attempts: 2, failures: [{ attempt: 1 }], error: { code: 'upstream_error' } },
  ]);
  const { stdout } = await cli.run(['runs', 'show', id]);
  expect(stdout).toMatch(/^log {2}activity\.create {2}succeeded {2}\S+Z {2}took \d+ ms\n {4}input {3}\{"content"/m);
  expect(stdout).toMatch(/^ {4}attempt 1, \S+Z to \S+Z: The channel answered 500\. \(upstream_error\)$/m);
  expect(await cli.fault('runs', 'show', acme.orgId)).toMatchObject({ code: 3, error: 'not_found' });
});

describe('a run whose inputs and outputs are too large to be read at once', () => {
  const stepsCount = 50;
  const output = { text: 'x'.repeat(100_000) };
  let id: string;
  beforeAll(async () => {
    id = await makeRun();
    const { write } = await work(cli.database(), acme.orgId, id);
    const step = { use: 'activity.create', status: 'succeeded', attempts: 1, output: JSON.stringify(output) } as const;
    const steps = Array.from({ length: stepsCount }, (_, position) => ({ ...step, path: `s${position}`, position }));
    await write(steps, { status: 'succeeded' });
  });

  test('is shown with all of its steps, the values of the last ones, and how to see the omitted values', async () => {
    const { stdout, stderr } = await cli.run(['runs', 'show', id, '--json']);
    const { steps } = JSON.parse(stdout) as { steps: { path: string; output?: unknown }[] };
    expect(steps).toHaveLength(stepsCount);
    const shown = steps.filter((step) => 'output' in step);
    expect(shown.length).toBeGreaterThan(30);
    expect(Buffer.byteLength(JSON.stringify(shown.map((step) => step.output)))).toBeLessThan(4_000_000);
    expect(shown).toEqual(steps.slice(-shown.length));
    const note = `inputs and outputs of ${stepsCount - shown.length} of its ${stepsCount} steps are left out`;
    expect(stderr).toContain(note);
    const text = (await cli.run(['runs', 'show', id])).stdout;
    expect(text.match(/^ {4}\(input and output left out\)$/gm)).toHaveLength(stepsCount - shown.length);
    expect(text).toContain(note);
  });

  test('shows the input and output of one step', async () => {
    const shown = await cli.json('runs', 'show', id, '--step', 's0');
    expect(shown).toEqual({ run: id, step: 's0', input: null, output });
    expect((await cli.run(['runs', 'show', id, '--step', 's0'])).stdout).toContain('output  {"text":"xxx');
    expect(await cli.fault('runs', 'show', id, '--step', 'none')).toMatchObject({ code: 3, error: 'not_found' });
  });

  test('is followed, retried and cancelled without reading its inputs and outputs', async () => {
    const { orgId } = acme;
    const options = { orgId, runIds: [id], timeoutMs: 1, say: () => undefined };
    const [followed] = await followRuns(cli.database(), options);
    expect(followed!.steps).toHaveLength(stepsCount);
    expect(followed!.steps[0]).not.toHaveProperty('output');
    expect(await runReference.find(cli.database(), orgId, id)).not.toHaveProperty('steps');
  });
});

describe('retry', () => {
  test('retry resumes a failed run from the step that failed, and notifies a worker', async () => {
    await using messaging = new Messaging({ url: natsUrl(), name: 'test' });
    const enqueued: string[] = [];
    // Subscribes to the subject directly, because another worker may take the messages from the queue.
    messaging.subscribe(runsReady, ({ runs }) => void enqueued.push(...runs.flat()));
    await messaging.connected(60_000);
    const id = await makeFailed();
    expect(await cli.json('runs', 'retry', id)).toMatchObject({ id, status: 'queued', workflow: 'inbound-lead' });
    expect(await findRun(cli.database(), acme.orgId, id)).toMatchObject({
      status: 'queued',
      steps: [{ status: 'succeeded' }, { status: 'pending', attempts: 0 }],
    });
    await until(() => expect(enqueued).toEqual(expect.arrayContaining([acme.orgId, id])));
  });

  test('retry reports the version with which the run continues, and --latest uses the newest', async () => {
    const globex = await makeAssigned(cli.database());
    const [kept, moved, refused] = [await makeFailed(globex), await makeFailed(globex), await makeFailed(globex)];
    const [log, post] = [inboundLead.steps[0]!, inboundLead.steps[1]!];
    await makeWorkflow(cli.database(), globex.orgId, { ...inboundLead, steps: [log, { ...post, timeout: '5s' }] });
    expect(await cli.json('runs', 'retry', moved, '--latest')).toMatchObject({ version: 2, latest_version: 2 });
    const { stdout } = await cli.run(['runs', 'retry', kept]);
    expect(stdout).toContain(`${kept} continues with version 1; the newest is 2.`);
    await makeWorkflow(cli.database(), globex.orgId, { ...inboundLead, steps: [post] });
    expect(await cli.fault('runs', 'retry', refused, '--latest')).toMatchObject({
      code: 1,
      error: 'conflict',
      message: expect.stringContaining('version 3 of inbound-lead: the finished step log does not exist in it'),
    });
    const bulk = ['--all-failed', '--org', globex.orgId, '--latest'];
    expect(await cli.json('runs', 'retry', ...bulk)).toMatchObject([
      { id: refused, status: 'failed', refusal: expect.stringContaining('the finished step log does not exist in it') },
    ]);
  });

  test('retry of several runs retries all of them or none', async () => {
    const ids = [await makeFailed(), await makeFailed()];
    const queued = await makeRun();
    expect(await cli.fault('runs', 'retry', ...ids, queued)).toMatchObject({
      code: 1,
      error: 'conflict',
      message: expect.stringContaining(`${queued} is queued`),
    });
    expect(await cli.fault('runs', 'retry', ...ids, acme.orgId)).toMatchObject({ code: 3, error: 'not_found' });
    expect(await Promise.all(ids.map(statusOf))).toEqual(['failed', 'failed']);
    expect(idsOf(await cli.json('runs', 'retry', ...ids))).toEqual(ids);
    expect(await Promise.all(ids.map(statusOf))).toEqual(['queued', 'queued']);
  });

  test('retry --all-failed retries all failed runs of an organization, the newest first', async () => {
    const globex = await makeAssigned(cli.database());
    const ids = [await makeFailed(globex), await makeFailed(globex), await makeFailed(globex)];
    const bulk = ['--all-failed', '--org', globex.orgId, '--workflow', 'inbound-lead'];
    expect(idsOf(await cli.json('runs', 'retry', ...bulk, '--limit', '2'))).toEqual([ids[2], ids[1]]);
    expect((await cli.run(['runs', 'retry', ...bulk])).stdout).toMatch(
      new RegExp(`^${ids[0]} +inbound-lead +1 +1 +queued$`, 'm'),
    );
    expect(await cli.json('runs', 'retry', ...bulk)).toEqual([]);
  });

  test('retry --all-failed and problems replay say that more failures are left beyond the limit', async () => {
    const globex = await makeAssigned(cli.database());
    await makeFailed(globex);
    await makeFailed(globex);
    await makeFailed(globex);
    const cause = ['--org', globex.orgId, '--workflow', 'inbound-lead', '--step', 'tell', '--code', 'upstream_error'];
    const said = 'There may be more. Repeat the command.';
    const retry = ['runs', 'retry', '--all-failed', ...cause, '--limit', '1', '--json'];
    const first = await cli.run(retry);
    expect(JSON.parse(first.stdout)).toHaveLength(1);
    expect(first.stderr).toContain(said);
    expect((await cli.run(['problems', 'replay', ...cause, '--limit', '1'])).stdout).toContain(said);
    const last = await cli.run(retry);
    expect(JSON.parse(last.stdout)).toHaveLength(1);
    expect(last.stderr).toBe('');
  });

  test('retry --all-failed can be limited to one step and code', async () => {
    const globex = await makeAssigned(cli.database());
    const failed = await makeFailed(globex);
    const bulk = ['--all-failed', '--org', globex.orgId];
    expect(await cli.json('runs', 'retry', ...bulk, '--step', 'log')).toEqual([]);
    expect(await cli.json('runs', 'retry', ...bulk, '--step', 'tell', '--code', 'timeout')).toEqual([]);
    const cause = ['--step', 'tell', '--code', 'upstream_error'];
    expect(idsOf(await cli.json('runs', 'retry', ...bulk, ...cause))).toEqual([failed]);
  });

  test.each([
    [[], 'ids'],
    [[randomUUID(), '--code', 'timeout'], '--code'],
    [['--all-failed'], '--org'],
  ])('retry %j is wrong usage', async (given, said) => {
    const fault = await cli.fault('runs', 'retry', ...given);
    expect(fault).toMatchObject({ code: 2, message: expect.stringContaining(said) });
  });
});

test('a run that has not ended can be cancelled once', async () => {
  const id = await makeRun();
  expect(await cli.json('runs', 'cancel', id)).toMatchObject({ id, status: 'cancelled' });
  expect(await statusOf(id)).toBe('cancelled');
  expect(await cli.fault('runs', 'cancel', id)).toMatchObject({ code: 1, error: 'conflict' });
});

test('each change of a followed run is printed once, until the run ends or the timeout has passed', async () => {
  const { orgId } = acme;
  const id = await makeRun();
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line.replace(/^.* s {2}/, ''));
  const [still] = await followRuns(cli.database(), { orgId, runIds: [id], timeoutMs: 1, say });
  expect(still).toMatchObject({ status: 'queued' });
  const following = followRuns(cli.database(), { orgId, runIds: [id], timeoutMs: 120_000, say });
  const { write } = await work(cli.database(), orgId, id);
  const step = { path: 'tell', position: 0, use: 'channel.post', attempts: 1 };
  await write([{ ...step, status: 'running' }], { status: 'running', leaseMs: 60_000 });
  await until(() => expect(lines).toContain('inbound-lead  tell  running'));
  await write([{ ...step, status: 'succeeded' }], { status: 'succeeded' });
  expect(await following).toMatchObject([{ id, status: 'succeeded' }]);
  expect(lines.filter((line) => line === 'inbound-lead  tell  running')).toHaveLength(1);
  expect(lines.slice(-2)).toEqual(['inbound-lead  tell  succeeded', 'inbound-lead  succeeded']);
});
