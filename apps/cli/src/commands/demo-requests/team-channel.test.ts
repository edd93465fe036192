import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOrganization } from '@relata/auth';
import { statement } from '@relata/db';
import { storeDemoRequest } from '@relata/demo-requests';
import { operatorActor } from '@relata/events';
import { teamChannel } from '@relata/testing';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { relata, setUpCli } from '../../cli.harness.ts';

const cli = setUpCli();
let acme: string;
beforeAll(async () => void (acme = (await createOrganization(cli.database(), 'Acme')).id));

const ada = { name: 'Ada Lovelace', work_email: 'ada@robotics.example' };
const forget = statement<never>('', 'DELETE FROM demo_requests');
const age = statement<never>('', `UPDATE demo_requests SET created_at = created_at - interval '1 minute'`);

/** Stores the only request as if a process had stored it a minute ago and was killed before sending it. */
async function store(): Promise<string> {
  await cli.database().query(forget, []);
  const { id } = await storeDemoRequest(cli.database(), operatorActor(acme, 'test'), ada);
  await cli.database().query(age, []);
  return id;
}

test('without a channel resend fails and changes nothing', async () => {
  const id = await store();
  for (const args of [[id], ['--unsent']])
    expect(await cli.fault('demo-requests', 'resend', ...args)).toMatchObject({
      code: 1,
      error: 'configuration_error',
      message: expect.stringContaining('TEAM_CHANNEL_WEBHOOK_URL'),
    });
  expect(await cli.json('demo-requests', 'show', id)).toMatchObject({ status: 'pending', attempts: 0 });
});

test('resend posts to the channel of the environment, in the format of its kind', async () => {
  const channel = await teamChannel(200);
  const env = { TEAM_CHANNEL_WEBHOOK_URL: channel.url, TEAM_CHANNEL_KIND: 'discord' };
  expect(await cli.run(['demo-requests', 'resend', await store()], env)).toMatchObject({ code: 0 });
  expect(JSON.parse(channel.bodies[0]!)).toMatchObject({ embeds: expect.any(Array) });
});

test('an invalid channel address is refused without being printed', async () => {
  const TEAM_CHANNEL_WEBHOOK_URL = 'ftp://s3cret.example';
  const { code, stderr } = await cli.run(['demo-requests', 'resend', '--unsent'], { TEAM_CHANNEL_WEBHOOK_URL });
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('TEAM_CHANNEL_WEBHOOK_URL') });
  expect(stderr).not.toContain('s3cret');
});

test('resend refuses a kind that does not belong to the webhook, instead of posting a message that the chat does not show', async () => {
  const env = {
    TEAM_CHANNEL_WEBHOOK_URL: 'https://prod-1.westeurope.logic.azure.com/workflows/s3cret',
    TEAM_CHANNEL_KIND: 'slack',
  };
  const id = await store();
  const { code, stderr } = await cli.run(['demo-requests', 'resend', id], env);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('belongs to teams') });
  expect(stderr).not.toContain('s3cret');
  expect(await cli.json('demo-requests', 'show', id)).toMatchObject({ status: 'pending', attempts: 0 });
});

test("without a channel in the environment, the local stack's channel is used, but only with the stack's database", async () => {
  const channel = await teamChannel(200);
  const folder = await mkdtemp(join(tmpdir(), 'relata-cli-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, '.local'));
  const write = (url: string) =>
    writeFile(
      join(folder, '.local/stack.json'),
      JSON.stringify({ postgres: { url }, channel: { url: channel.url, kind: 'slack' } }),
    );
  await write(cli.url());
  const args = ['demo-requests', 'resend', '--unsent'];
  await store();
  expect(await relata(args, { cwd: folder })).toMatchObject({ code: 0 });
  expect(channel.bodies).toHaveLength(1);
  await write('postgres://elsewhere/relata');
  await store();
  expect(await relata(args, { cwd: folder, env: { DATABASE_URL: cli.url() } })).toMatchObject({ code: 1 });
  expect(channel.bodies).toHaveLength(1);
});
