import { createServer, type IncomingHttpHeaders } from 'node:http';
import { createOrganization, hashCredential } from '@relata/auth';
import { newId } from '@relata/db';
import { operatorActor } from '@relata/events';
import { listen } from '@relata/testing';
import { storeDeliveries } from '@relata/workflows/intake';
import { cancelRun } from '@relata/workflows/runs';
import { beforeAll, expect, test } from 'vitest';
import { setUpCli } from '../../cli.harness.ts';
import { fail, wait } from '../deliveries/deliveries.harness.ts';
import { inboundLead, makeAssignment, makeTrigger, makeWorkflow } from '../workflows/workflows.harness.ts';

const cli = setUpCli();
let org: string;

beforeAll(async () => void (org = (await createOrganization(cli.database(), 'Acme')).id));

const make = () => makeTrigger(cli.database(), org);

test('triggers test needs the address of the service and a secret', async () => {
  const { id, secret } = await make();
  expect(await cli.fault('triggers', 'test', id, '--secret', secret)).toMatchObject({
    code: 1,
    error: 'configuration_error',
    message: expect.stringContaining('--url'),
  });
  expect(await cli.fault('triggers', 'test', id, '--url', 'http://127.0.0.1:1')).toMatchObject({
    code: 1,
    message: expect.stringContaining('--secret'),
  });
  expect(await cli.fault('triggers', 'test', id, '--url', 'http://127.0.0.1:1', '--secret', secret)).toMatchObject({
    code: 1,
    error: 'service_unavailable',
    message: expect.stringContaining('http://127.0.0.1:1 cannot be reached'),
  });
});

test('triggers test says that no workflow is assigned if a delivery started no run', async () => {
  const { id, secret } = await make();
  const server = createServer((request, response) => {
    const keyHash = hashCredential(String(request.headers['idempotency-key']));
    const taken = { orgId: org, id: newId(), triggerId: id, keyHash, body: Buffer.from('{}'), headers: {} };
    void storeDeliveries(cli.database(), [{ ...taken, skipped: [], runs: [] }]).then(() =>
      response.writeHead(202).end('{"received":true}'),
    );
  });
  const { code, stdout } = await cli.run([
    'triggers',
    'test',
    id,
    '--url',
    (await listen(server)).url,
    '--secret',
    secret,
  ]);
  server.close();
  expect(code).toBe(0);
  expect(stdout).toContain(
    `No run was started: no workflow is assigned to the trigger. See: relata triggers assign ${id}`,
  );
});

test('triggers test sends headers, and finds the delivery of a trigger with its own repeat key', async () => {
  const repeatKey = ['--repeat-key', 'payload.id'];
  const { id, secret } = await cli.json('triggers', 'create', '--org', org, '--name', 'GitHub', ...repeatKey);
  const inputs = { ...inboundLead.inputs, event: { type: 'string', required: true } } as const;
  const workflowId = await makeWorkflow(cli.database(), org, { ...inboundLead, name: 'issues', inputs });
  const mapping = { email: 'payload.email', event: 'headers.X-Event' };
  await makeAssignment(cli.database(), org, { triggerId: id, workflowId, inputs: mapping });
  const asked: IncomingHttpHeaders[] = [];
  const server = createServer(({ headers }, response) => {
    asked.push(headers);
    const kept = { 'idempotency-key': String(headers['idempotency-key']) };
    const taken = {
      orgId: org,
      id: newId(),
      triggerId: id,
      keyHash: undefined,
      body: Buffer.from('{}'),
      headers: kept,
    };
    void storeDeliveries(cli.database(), [{ ...taken, skipped: [], runs: [] }]).then(() =>
      response.writeHead(202).end('{"received":true}'),
    );
  });
  const to = ['--url', (await listen(server)).url, '--secret', secret];
  const given = ['--header', 'X-GitHub-Event: issues', '--header', 'Idempotency-Key: mine'];
  expect(await cli.json('triggers', 'test', id, ...to, ...given)).toMatchObject({ trigger_id: id, runs: [] });
  server.close();
  expect(asked).toMatchObject([
    {
      'x-github-event': 'issues',
      'x-event': 'Sample event',
      'idempotency-key': expect.stringMatching(/^relata-test-/),
    },
  ]);
  expect(await cli.fault('triggers', 'test', id, ...to, '--header', 'no header')).toMatchObject({
    code: 2,
    message: expect.stringContaining('Must look like X-GitHub-Event: issues.'),
  });
});

test.for([
  ['failed', '1 of 1 runs failed.', (id: string) => fail(cli.database(), org, id)],
  [
    'cancelled',
    '1 of 1 runs were cancelled.',
    (id: string) => cancelRun({ database: cli.database() }, operatorActor(org, 'test'), id),
  ],
  [
    'waiting',
    '1 of 1 runs have not ended within --timeout.',
    (id: string) => wait(cli.database(), org, id, { isRetrying: true }),
  ],
] as const)('triggers test fails if a run is %s', async ([status, message, end]) => {
  const { id: triggerId, secret } = await make();
  const workflowId = await makeWorkflow(cli.database(), org, inboundLead);
  const run = { id: newId(), workflowId, version: 1, isLimited: false, inputs: '{"email":"ada@example.com"}' };
  const server = createServer((request, response) => {
    const keyHash = hashCredential(String(request.headers['idempotency-key']));
    const taken = { orgId: org, id: newId(), triggerId, keyHash, body: Buffer.from('{}'), headers: {}, skipped: [] };
    void storeDeliveries(cli.database(), [{ ...taken, runs: [run] }])
      .then(async () => void (await end(run.id)))
      .then(() => response.writeHead(202).end('{"received":true}'));
  });
  const to = ['--url', (await listen(server)).url, '--secret', secret, '--timeout', '1s', '--json'];
  const { code, stdout, stderr } = await cli.run(['triggers', 'test', triggerId, ...to]);
  server.close();
  expect(JSON.parse(stdout).runs).toMatchObject([{ id: run.id, status }]);
  expect({ code, stderr }).toEqual({ code: 1, stderr: `${JSON.stringify({ error: 'run_failed', message })}\n` });
});

test('triggers test prints the answer to a refused delivery', async () => {
  const { id } = await make();
  const answered = { error: 'missing or invalid webhook secret' };
  const asked: unknown[] = [];
  const server = createServer((request, response) => {
    asked.push([request.method, request.url, request.headers['x-webhook-secret']]);
    response.writeHead(401).end(JSON.stringify(answered));
  });
  const { url } = await listen(server);
  const { code, stderr } = await cli.run(['triggers', 'test', id, '--url', `${url}/`, '--json'], {
    RELATA_TRIGGER_SECRET: 'wrong',
  });
  server.close();
  expect(asked).toEqual([['POST', `/webhooks/trigger/${id}`, 'wrong']]);
  expect({ code, ...JSON.parse(stderr) }).toEqual({
    code: 1,
    error: 'delivery_refused',
    message: `The receiver answered 401: ${answered.error}.`,
    status: 401,
    answer: answered,
  });
});
