import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { createOrganization } from '@relata/auth';
import { operatorActor } from '@relata/events';
import { statement } from '@relata/db';
import { secretsSettings, setSecret } from '@relata/secrets';
import type { RunDetail } from '@relata/workflows/runs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startOutside } from '../outside.harness.ts';
import { startWorkflows } from '../workflow-worker.harness.ts';

const secretsKey = randomBytes(32).toString('base64');
const keys = secretsSettings.SECRETS_KEY.parse(secretsKey)!;
const token = 'tok-"5ecret&1234567890';

let workflows: Awaited<ReturnType<typeof startWorkflows>>;
beforeAll(async () => {
  workflows = await startWorkflows();
  await workflows.openWorker({ secretsKey });
  await set('TOKEN', token);
});
afterAll(() => workflows[Symbol.asyncDispose]());

const set = (name: string, value: string, orgId = workflows.orgId) =>
  setSecret(workflows, operatorActor(orgId, 'test'), { name, value }, keys);

const inputs = { url: { type: 'string' }, key: { type: 'string' } };
const retry = { max_attempts: 3, initial_delay: '10ms', max_delay: '50ms' };
let count = 0;
const calling = (given: object, ...after: object[]) => ({
  name: `secret-${count++}`,
  inputs,
  steps: [
    { id: 'call', use: 'http.request', with: { method: 'POST', url: '${{ inputs.url }}', ...given }, retry },
    ...after,
  ],
});
const authorized = { headers: { Authorization: 'Bearer ${{ secrets.TOKEN }}', 'X-Plain': 'plain' } };

/** Returns everything that the database stores about the runs and their steps, as text. */
async function journalText(): Promise<string> {
  const rows = await workflows.database.query(
    statement<{ text: string }>(
      'test.journal_text',
      'SELECT s::text AS text FROM workflow_run_steps s UNION ALL SELECT r::text FROM workflow_runs r',
    ),
    [],
  );
  return rows.map(({ text }) => text).join('\n');
}

async function expectNoLeak(run: RunDetail): Promise<void> {
  for (const text of [JSON.stringify(run), await journalText()]) {
    expect(text).not.toContain('5ecret');
    expect(text).not.toContain(Buffer.from(token).toString('base64').slice(0, 20));
  }
}

const echo = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

describe('a secret', () => {
  test('a secret is sent, and the journal contains the expression instead of its value', async () => {
    await using outside = await startOutside((response) => response.end());
    const json = { nested: [{ key: 'k=${{ secrets.TOKEN }}' }], other: '${{ inputs.key }}' };
    const run = await workflows.run(calling({ ...authorized, json }), { inputs: { url: outside.url, key: 'open' } });
    expect(outside.received).toMatchObject([
      {
        headers: { authorization: `Bearer ${token}`, 'x-plain': 'plain' },
        body: JSON.stringify({ nested: [{ key: `k=${token}` }], other: 'open' }),
      },
    ]);
    expect(run.steps[0]!.input).toEqual({
      method: 'POST',
      url: outside.url,
      headers: { Authorization: '[redacted]', 'X-Plain': 'plain' },
      json: { ...json, other: 'open' },
    });
    await expectNoLeak(run);
  });

  test('a secret repeated in a response appears neither in the output nor in the input of later steps', async () => {
    await using outside = await startOutside((response, { headers }) =>
      echo(response.setHeader('x-echo', String(headers.authorization)), 200, {
        you_sent: headers.authorization,
        [`key ${token}`]: { base64: Buffer.from(token).toString('base64url') },
      }),
    );
    const log = { id: 'log', use: 'activity.create', with: { content: 'Got ${{ steps.call }}' } };
    const run = await workflows.run(calling(authorized, log), { inputs: { url: outside.url } });
    expect(run.steps[0]!.output).toMatchObject({
      headers: { 'x-echo': 'Bearer [secret]' },
      json: { you_sent: 'Bearer [secret]', 'key [secret]': { base64: '[secret]' } },
    });
    await expectNoLeak(run);
  });

  test('a secret repeated in an error response does not appear in the error, even if the excerpt ends within it', async () => {
    const long = `start-5ecret${'x'.repeat(8_000)}`;
    await set('LONG', long);
    await using outside = await startOutside((response, { headers }, n) =>
      response.writeHead(n < 3 ? 503 : 401).end(`Bearer of ${headers.authorization} ${'.'.repeat(300)}${long}`),
    );
    const both = { headers: { ...authorized.headers, 'X-A': '${{ secrets.LONG }}' } };
    const run = await workflows.run(calling(both), { inputs: { url: outside.url }, status: 'failed' });
    expect(run.error).toMatchObject({ code: 'bad_status', details: { status: 401 } });
    expect(JSON.stringify(run.error)).toContain('Bearer of Bearer [secret] .');
    expect(run.steps[0]!.failures).toHaveLength(3);
    await expectNoLeak(run);
  });

  test('a secret in the host of a redirect does not appear in the error', async () => {
    await set('HOSTLIKE', 'host5ecret');
    await using outside = await startOutside((response) =>
      response.writeHead(302, { location: 'http://HOST5ecret.invalid/' }).end(),
    );
    const given = calling({ headers: { 'X-A': '${{ secrets.HOSTLIKE }}' } });
    const run = await workflows.run(
      { ...given, steps: [{ ...given.steps[0]!, retry: { max_attempts: 1 } }] },
      {
        inputs: { url: outside.url },
        status: 'failed',
      },
    );
    expect(run.error!.message).toContain('[secret].invalid');
    await expectNoLeak(run);
  });

  test('a secret is read again for each attempt, also after a retry of the run', async () => {
    await set('CHANGING', 'first');
    await using outside = await startOutside((response, { headers }) =>
      response.writeHead(headers['x-key'] === 'second' ? 200 : 403).end(),
    );
    const given = calling({
      headers: { 'X-Key': '${{ secrets.CHANGING }}', Authorization: 'Bearer ${{ inputs.key }}' },
    });
    const run = await workflows.run(given, { inputs: { url: outside.url, key: 'sent' }, status: 'failed' });
    await set('CHANGING', 'second');
    await workflows.retry(run.id);
    await workflows.reached(run.id, 'succeeded');
    expect(outside.received.map(({ headers }) => headers['x-key'])).toEqual(['first', 'second']);
    expect(outside.received.map(({ headers }) => headers.authorization)).toEqual(['Bearer sent', 'Bearer sent']);
  });

  test('a missing secret fails its step without a retry, and nothing is sent, even if another organization has a secret of that name', async () => {
    const { id: globex } = await createOrganization(workflows.database, 'Globex');
    await set('ABSENT', 'of globex', globex);
    await using outside = await startOutside((response) => response.end());
    const given = calling({ headers: { 'X-A': '${{ secrets.ABSENT }}' } });
    const run = await workflows.run(given, { inputs: { url: outside.url }, status: 'failed' });
    expect(run.error).toMatchObject({
      step: 'call',
      code: 'missing_secret',
      message: expect.stringContaining('ABSENT'),
    });
    expect(run.steps).toMatchObject([{ attempts: 1 }]);
    expect(outside.received).toEqual([]);
  });

  test('a secret that is invalid in an HTTP header fails its step, and is not shown', async () => {
    await set('LINES', 'with-5ecret\nline');
    await using outside = await startOutside((response) => response.end());
    const given = calling({ headers: { 'X-A': '${{ secrets.LINES }}' } });
    const run = await workflows.run(given, { inputs: { url: outside.url }, status: 'failed' });
    expect(run.error).toMatchObject({ code: 'invalid_request' });
    await expectNoLeak(run);
  });

  test('a worker without SECRETS_KEY, or with another key, cannot use a secret', async () => {
    for (const [code, other] of [
      ['secrets_key_missing', undefined],
      ['unreadable_secret', randomBytes(32).toString('hex')],
    ] as const) {
      await using own = await startWorkflows();
      await setSecret(own, operatorActor(own.orgId, 'test'), { name: 'TOKEN', value: token }, keys);
      await own.openWorker(other === undefined ? {} : { secretsKey: other });
      const run = await own.run(calling(authorized), { inputs: { url: 'http://127.0.0.1:1/' }, status: 'failed' });
      expect(run.error).toMatchObject({ step: 'call', code });
    }
  });
});

describe('a header with a credential', () => {
  const names = ['authorization', 'Cookie', 'X-Api-Key', 'apikey', 'X-CSRF-Token', 'X-Session', 'My-Password'];

  test('a header with a credential is sent but not stored in the journal, even if it contains an input', async () => {
    await using outside = await startOutside((response) => response.end());
    const headers = Object.fromEntries(names.map((name, i) => [name, i % 2 ? 'plain-5ecret' : '${{ inputs.key }}']));
    const given = calling({ headers: { ...headers, Accept: 'text/plain' } });
    const run = await workflows.run(given, { inputs: { url: outside.url, key: 'other' } });
    expect(Object.keys(outside.received[0]!.headers)).toEqual(
      expect.arrayContaining(names.map((n) => n.toLowerCase())),
    );
    const kept = Object.fromEntries(names.map((name) => [name, '[redacted]']));
    expect(run.steps[0]!.input).toMatchObject({ headers: { ...kept, Accept: 'text/plain' } });
    await expectNoLeak(run);
  });

  test('a header with a credential is not shown for a step whose journal entry an earlier release wrote', async () => {
    await using outside = await startOutside((response) => response.setHeader('set-cookie', 'a=b').end());
    const run = await workflows.run(calling({ headers: { Authorization: 'x' } }), { inputs: { url: outside.url } });
    const before = statement<never>(
      'test.write_as_before',
      `UPDATE workflow_run_steps SET input = '{"url":"x","headers":{"Authorization":"Bearer 5ecret","A":"b"}}'
       WHERE org_id = $1 AND run_id = $2`,
    );
    await workflows.database.query(before, [workflows.orgId, run.id]);
    const [step] = (await workflows.runOf(run.id)).steps;
    expect(step!.input).toEqual({ url: 'x', headers: { Authorization: '[redacted]', A: 'b' } });
    expect(step!.output).toMatchObject({ headers: { 'set-cookie': '[redacted]' } });
  });
});
