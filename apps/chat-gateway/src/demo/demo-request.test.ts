import { apiClient, startTeamChannel, type TeamChannel } from '@relata/testing';
import { createChannel } from '@relata/channel';
import { findDemoRequest, listDemoRequests } from '@relata/demo-requests';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestChat, type TestChat } from '../chat-gateway.harness.ts';

let chat: TestChat;
let inbox: TeamChannel;

beforeEach(async () => {
  inbox = await startTeamChannel();
  chat = await startTestChat({ channel: createChannel({ url: inbox.url, kind: 'slack', timeoutMs: 60_000 }) });
});
afterEach(async () => {
  await chat[Symbol.asyncDispose]();
  await inbox[Symbol.asyncDispose]();
});

const wish = { name: 'Ada Lovelace', work_email: 'ada@robotics.example' };
const request = (body: unknown) => chat.tenant.client('POST', '/v1/genie/demo-request', { body });
const stored = () => listDemoRequests(chat.db.database, chat.tenant.orgId, { unsent: false, limit: 100 });

test('a demo request is stored, forwarded, and answered with ok', async () => {
  const full = {
    ...wish,
    company: 'Example Robotics',
    team_size: '11-50',
    crm: 'HubSpot',
    use_case: 'Pipeline',
    message: 'Two\nlines',
  };
  const answer = await request(full);
  expect(answer).toMatchObject({ status: 200, body: { ok: true } });
  expect(inbox.bodies).toHaveLength(1);
  for (const value of ['Ada Lovelace', 'ada@robotics.example', 'Example Robotics', '11-50', 'HubSpot', 'Pipeline'])
    expect(inbox.bodies[0]).toContain(value);
  const { message, ...listed } = full;
  const [found] = await stored();
  expect(found).toMatchObject({ ...listed, status: 'sent' });
  expect(await findDemoRequest(chat.db.database, chat.tenant.orgId, found!.id)).toMatchObject({ message });
});

test('nothing is posted to the channel before the request is stored', async () => {
  await chat.db.owner.query({ name: 'test.lock', text: 'ALTER TABLE demo_requests RENAME TO hidden' }, []);
  expect((await request(wish)).status).toBeGreaterThanOrEqual(500);
  expect(inbox.bodies).toEqual([]);
});

describe('if the channel does not accept a request, the request is kept and answered with 502', () => {
  test.each([
    ['refuses', [400], 1],
    ['has moved', [302], 1],
    ['fails at each attempt', [500], 2],
  ])('a request is kept and answered with 502 if the channel %s', async (_how, statuses, atLeast) => {
    inbox.responses = statuses;
    const answer = await request(wish);
    expect(answer).toMatchObject({ status: 502, error: { error: 'upstream_error' } });
    expect(inbox.bodies.length).toBeGreaterThanOrEqual(atLeast);
    expect(await stored()).toMatchObject([{ ...wish, status: 'failed' }]);
    expect(answer.text + chat.logLines.join('')).not.toMatch(/s3cret/);
  });

  test('a request to a channel that does not answer may have arrived, so it is not sent twice', async () => {
    inbox.responses = [() => {}];
    await using replica = await chat.startReplica({ channelDeadlineMs: 1_000 });
    const client = apiClient(replica.url, chat.tenant.key);
    const startedAt = performance.now();
    expect((await client('POST', '/v1/genie/demo-request', { body: wish })).status).toBe(502);
    // Without `channelDeadlineMs`, the test gateway's deadline of 60 s would apply.
    expect(performance.now() - startedAt).toBeLessThan(40_000);
    expect(inbox.bodies).toHaveLength(1);
    expect(await stored()).toMatchObject([{ status: 'in_doubt' }]);
  });

  test('a request is kept and answered with 502 if the channel is unreachable', async () => {
    await inbox[Symbol.asyncDispose]();
    expect((await request(wish)).status).toBe(502);
    inbox = await startTeamChannel();
    expect(await stored()).toMatchObject([{ status: 'failed' }]);
  });

  test('a request is kept and answered with 502 if no channel is configured', async () => {
    await using replica = await chat.startReplica({ channel: undefined });
    const answer = await fetch(`${replica.url}/v1/genie/demo-request`, {
      method: 'POST',
      headers: { 'X-Api-Key': chat.tenant.key, 'Content-Type': 'application/json' },
      body: JSON.stringify(wish),
    });
    expect(answer.status).toBe(502);
    expect(await stored()).toMatchObject([{ status: 'failed' }]);
  });
});

test('a channel that fails briefly gets the request once it works again', async () => {
  inbox.responses = [503, 200];
  expect(await request(wish)).toMatchObject({ status: 200 });
  expect(inbox.bodies).toHaveLength(2);
  expect(await stored()).toMatchObject([{ status: 'sent' }]);
});

test('requests of another organization are not visible', async () => {
  await request(wish);
  expect(await listDemoRequests(chat.db.database, chat.other.orgId, { unsent: false, limit: 100 })).toEqual([]);
});

test.each<[string, unknown, string, string]>([
  ['no name', { work_email: wish.work_email }, 'name', 'required'],
  ['an empty name', { ...wish, name: '' }, 'name', 'too_short'],
  ['a name of 256 characters', { ...wish, name: 'x'.repeat(256) }, 'name', 'too_long'],
  ['no email', { name: 'Ada' }, 'work_email', 'required'],
  ['an invalid email address', { ...wish, work_email: 'ada' }, 'work_email', 'invalid_format'],
  ['a null name', { ...wish, name: null }, 'name', 'null_not_allowed'],
  ['an unknown field', { ...wish, phone: '1' }, 'phone', 'unknown_field'],
  ['U+0000', { ...wish, message: '\u0000' }, 'message', 'invalid_format'],
  ['a company of 2,049 characters', { ...wish, company: 'x'.repeat(2_049) }, 'company', 'too_long'],
  ['a message of 100,001 characters', { ...wish, message: 'x'.repeat(100_001) }, 'message', 'too_long'],
])('a demo request with %s is refused with 400, naming the field, and not stored', async (_what, body, field, code) => {
  const { status, error } = await request(body);
  expect(status).toBe(400);
  expect(error.details).toContainEqual(expect.objectContaining({ in: 'body', field, code }));
  expect(await stored()).toEqual([]);
});

test('the longest values are accepted, and null means absent', async () => {
  const long = { ...wish, name: 'x'.repeat(255), company: 'x'.repeat(2_048), message: '🎉'.repeat(100_000), crm: null };
  expect((await request(long)).status).toBe(200);
  expect((await stored())[0]).toMatchObject({ name: long.name, company: long.company });
});
