import { teamChannel } from '@relata/testing';
import { createOrganization } from '@relata/auth';
import { newId, statement } from '@relata/db';
import { forwardDemoRequest, storeDemoRequest } from '@relata/demo-requests';
import { operatorActor } from '@relata/events';
import { beforeEach, describe, expect, test } from 'vitest';
import { setUpCli } from '../../cli.harness.ts';

const cli = setUpCli();
let acme: string;
let globex: string;

const forget = statement<never>('', 'DELETE FROM demo_requests');
const age = statement<never>('', `UPDATE demo_requests SET created_at = created_at - interval '1 minute'`);

beforeEach(async () => {
  await cli.database().query(forget, []);
  acme = (await createOrganization(cli.database(), 'Acme')).id;
  globex = (await createOrganization(cli.database(), 'Globex')).id;
});

const ada = { name: 'Ada Lovelace', work_email: 'ada@robotics.example' };
const idsOf = (list: { id: string }[]) => list.map(({ id }) => id);

/** Stores a request as if a process had stored it a minute ago and was killed before sending it. */
async function store(orgId = acme, fields = {}): Promise<string> {
  const { id } = await storeDemoRequest(cli.database(), operatorActor(orgId, 'test'), { ...ada, ...fields });
  await cli.database().query(age, []);
  return id;
}

/** Stores a request that a channel has accepted, or for which there was no channel. */
async function forward(isTaken: boolean): Promise<string> {
  const request = await storeDemoRequest(cli.database(), operatorActor(acme, 'test'), ada);
  const post = () => Promise.resolve();
  const channel = isTaken ? { post, postForm: post } : undefined;
  await forwardDemoRequest({ db: cli.database(), channel, request, onError: (error) => expect.fail(String(error)) });
  return request.id;
}

const resend = (url: string, ...args: string[]) =>
  cli.run(['demo-requests', 'resend', ...args], { TEAM_CHANNEL_WEBHOOK_URL: url });

test('requests of all organizations or of one are listed, the newest first, page by page, and optionally only unsent ones', async () => {
  const first = await store();
  const second = await store(globex);
  const sent = await forward(true);
  const refused = await forward(false);
  expect(idsOf(await cli.json('demo-requests', 'list'))).toEqual([refused, sent, second, first]);
  expect(idsOf(await cli.json('demo-requests', 'list', '--org', acme, '--unsent'))).toEqual([refused, first]);
  expect(idsOf(await cli.json('demo-requests', 'list', '--unsent', '--before', refused, '--limit', '1'))).toEqual([
    second,
  ]);
  const { stdout } = await cli.run(['demo-requests', 'list', '--org', acme]);
  expect(stdout).toMatch(
    new RegExp(`^ID .*\n${refused} .* failed .*not_configured.*\n${sent} .* sent .*\n${first} .* pending `),
  );
  expect(await cli.fault('demo-requests', 'list', '--org', newId())).toMatchObject({ code: 3 });
});

test('a request is shown with everything that the visitor wrote, with control characters escaped', async () => {
  const message = 'one\ntwo \u001b[31m\u202e';
  const id = await store(acme, { message, company: 'Robots' });
  expect(await cli.json('demo-requests', 'show', id)).toMatchObject({
    ...ada,
    id,
    message,
    status: 'pending',
    crm: null,
  });
  const { stdout } = await cli.run(['demo-requests', 'show', id]);
  expect(stdout).toMatch(/^company +Robots$/m);
  expect(stdout).toContain('MESSAGE\n  one\n  two \\u{1b}[31m\\u{202e}\n');
  expect(await cli.fault('demo-requests', 'show', newId())).toMatchObject({ code: 3, error: 'not_found' });
});

describe('resend', () => {
  test('resend sends a request that was never sent, and reports it', async () => {
    const channel = await teamChannel(200);
    const id = await store();
    const { code, stdout, stderr } = await resend(channel.url, id, '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      id,
      org_id: acme,
      status: 'sent',
      is_sent: true,
      attempts: 1,
      error: null,
    });
    expect(channel.bodies).toHaveLength(1);
    expect(channel.bodies[0]).toContain('ada@robotics.example');
  });

  test('resend escapes control characters in the name of a visitor', async () => {
    const id = await store(acme, { name: 'Eve\u001b[31m\u202e' });
    const { stdout } = await resend((await teamChannel(200)).url, id);
    expect(stdout).toBe(`${id}  Eve\\u{1b}[31m\\u{202e} <ada@robotics.example>: sent.\n`);
  });

  test('resend of a request that was already sent needs --again', async () => {
    const channel = await teamChannel(200);
    const id = await forward(true);
    const refused = await resend(channel.url, id, '--json');
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stderr)).toMatchObject({
      error: 'conflict',
      message: expect.stringContaining('--again'),
    });
    expect(channel.bodies).toEqual([]);
    expect(await resend(channel.url, id, '--again')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/: sent\.\n$/),
    });
    expect(channel.bodies[0]).toContain('sent again');
  });

  test("resend exits with 1 if the channel refuses, and the error does not contain the channel's address", async () => {
    const channel = await teamChannel(404);
    const id = await store();
    const { code, stdout, stderr } = await resend(channel.url, id, '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ id, status: 'failed', is_sent: false, error: { code: 'rejected' } });
    expect(JSON.parse(stderr)).toMatchObject({ error: 'not_sent', message: expect.stringContaining('status 404') });
    expect(stdout + stderr).not.toMatch(/s3cret|127\.0\.0\.1/);
  });

  test('resend --unsent sends the oldest first, reports each, and exits with 1 if any failed', async () => {
    const channel = await teamChannel(200, 400, 200);
    const [first, second, third] = [await store(), await store(globex, { name: 'Eve\u001b[31m' }), await store()];
    await forward(true);
    const { code, stdout, stderr } = await resend(channel.url, '--unsent');
    expect(code).toBe(1);
    expect(stdout.split('\n')).toEqual([
      `${first}  Ada Lovelace <ada@robotics.example>: sent.`,
      `${second}  Eve\\u{1b}[31m <ada@robotics.example>: not sent. The channel answered with status 400. (rejected)`,
      `${third}  Ada Lovelace <ada@robotics.example>: sent.`,
      '2 of 3 sent.',
      '',
    ]);
    expect(stderr).toMatch(/^relata: 1 of 3 demo requests could not be sent\. .* status 400/);
    const rest = await resend(channel.url, '--unsent', '--json');
    expect(JSON.parse(rest.stdout)).toMatchObject([{ id: second, is_sent: true }]);
    expect(await resend(channel.url, '--unsent')).toMatchObject({ code: 0, stdout: 'There was nothing to send.\n' });
  });

  test('resend --unsent --org sends no request of another organization', async () => {
    const channel = await teamChannel(200);
    const [mine, theirs] = [await store(), await store(globex)];
    const { stdout } = await resend(channel.url, '--unsent', '--org', acme, '--json');
    expect(idsOf(JSON.parse(stdout))).toEqual([mine]);
    expect((await resend(channel.url, theirs, '--org', acme)).code).toBe(3);
    expect(channel.bodies).toHaveLength(1);
  });

  test('two concurrent resends of a request send it once', async () => {
    const channel = await teamChannel(200);
    const ids = [await store(), await store(), await store()];
    await Promise.all([1, 2, 3].map(() => resend(channel.url, '--unsent')));
    expect(channel.bodies).toHaveLength(ids.length);
  });

  test('resend skips a request that was stored just now, since its process is about to send it', async () => {
    const channel = await teamChannel(200);
    const { id } = await storeDemoRequest(cli.database(), operatorActor(acme, 'test'), ada);
    const { code, stdout } = await resend(channel.url, id, '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'sending', error: { code: 'busy' } });
    expect(channel.bodies).toEqual([]);
  });

  test('resend stops after ten failures in a row, and reports the rest as not tried', async () => {
    const channel = await teamChannel(403);
    for (let i = 0; i < 12; i++) await store();
    const { code, stdout } = await resend(channel.url, '--unsent', '--json');
    expect(code).toBe(1);
    expect(channel.bodies).toHaveLength(10);
    const resent = JSON.parse(stdout) as { status: string; error: { code: string } }[];
    expect(resent.slice(9).map(({ status, error }) => [status, error.code])).toEqual([
      ['failed', 'rejected'],
      ['pending', 'not_tried'],
      ['pending', 'not_tried'],
    ]);
  });

  test.each([
    [[], 'or --unsent'],
    [['--unsent', '--again'], '--again'],
    [['00000000-0000-7000-8000-000000000000', '--unsent'], 'or --unsent'],
  ])('resend %j is wrong usage', async (args, said) => {
    expect(await cli.fault('demo-requests', 'resend', ...args)).toMatchObject({
      code: 2,
      message: expect.stringContaining(said),
    });
  });
});
