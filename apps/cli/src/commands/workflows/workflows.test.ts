import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOrganization } from '@relata/auth';
import { statement } from '@relata/db';
import { Messaging, triggersChanged } from '@relata/messaging';
import { until } from '@relata/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { natsUrl, relata, setUpCli } from '../../cli.harness.ts';
import { inboundLead, makeAssignment, makeTrigger, makeWorkflow } from './workflows.harness.ts';

const cli = setUpCli();
let org: string;
let folder: string;

beforeAll(async () => {
  org = (await createOrganization(cli.database(), 'Acme')).id;
  folder = await mkdtemp(join(tmpdir(), 'relata-workflows-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function fileOf(content: unknown): Promise<string> {
  const path = join(folder, 'workflow.json');
  await writeFile(path, typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content));
  return path;
}

const apply = async (definition: unknown, ...options: string[]) =>
  cli.json('workflows', 'apply', await fileOf(definition), '--org', org, ...options);

describe('apply', () => {
  test('apply adds a version only if the definition changed', async () => {
    const created = await apply(inboundLead);
    expect(created).toMatchObject({ id: expect.any(String), name: 'inbound-lead', version: 1, action: 'created' });
    expect(await apply(inboundLead)).toMatchObject({ id: created.id, version: 1, action: 'unchanged' });
    const changed = { ...inboundLead, description: 'Since today' };
    expect(await apply(changed)).toMatchObject({ id: created.id, version: 2, action: 'updated' });
    const shown = await cli.json('workflows', 'show', 'inbound-lead', '--version', '1');
    expect(shown).toMatchObject({ id: created.id, version: 1, newest_version: 2, definition: inboundLead });
    expect(shown.versions.map(({ version }: { version: number }) => version)).toEqual([2, 1]);
    expect(await cli.json('workflows', 'list', '--org', org)).toMatchObject([{ id: created.id, version: 2 }]);
    expect(await cli.fault('workflows', 'show', created.id, '--version', '3')).toMatchObject({ code: 3 });
    const { stdout } = await cli.run(['workflows', 'show', created.id]);
    expect(stdout).toContain('DEFINITION\n  {\n    "name": "inbound-lead",\n    "inputs": {\n      "email": {');
  });

  test('apply --base creates a version only from the newest one, and --note appears in the list of versions', async () => {
    const definition = { ...inboundLead, name: 'contested' };
    const change = (description: string) => ({ ...definition, description });
    expect(await apply(definition, '--base', '0')).toMatchObject({ version: 1 });
    expect(await apply(change('mine'), '--base', '1', '--note', 'For Grace')).toMatchObject({ version: 2 });
    for (const base of ['0', '1', '3']) {
      const stale = await cli.fault('workflows', 'apply', await fileOf(change('late')), '--org', org, '--base', base);
      expect(stale).toMatchObject({ code: 1, error: 'conflict', message: expect.stringContaining('is 2') });
    }
    expect(await apply(change('mine'), '--base', '1')).toMatchObject({ version: 2, action: 'unchanged' });
    const { versions } = await cli.json('workflows', 'show', 'contested');
    expect(versions).toMatchObject([
      { version: 2, note: 'For Grace', applied_by: { type: 'operator' } },
      { version: 1, note: null },
    ]);
    expect((await cli.run(['workflows', 'show', 'contested'])).stdout).toMatch(/operator +For Grace/);
  });

  test('show says that only the newest versions are shown if there are more', async () => {
    const id = await makeWorkflow(cli.database(), org, { ...inboundLead, name: 'edited' });
    const addVersions = statement<never>(
      'test.add_versions',
      `WITH added AS (
         INSERT INTO workflow_versions (org_id, workflow_id, version, definition)
         SELECT org_id, workflow_id, n, definition FROM workflow_versions CROSS JOIN generate_series($2::integer, $3::integer) n
         WHERE workflow_id = $1 AND version = 1
       ) UPDATE workflows SET version = $3 WHERE id = $1`,
    );
    await cli.owner().query(addVersions, [id, 2, 100]);
    expect((await cli.run(['workflows', 'show', id])).stdout).not.toContain('Only the newest');
    await cli.owner().query(addVersions, [id, 101, 101]);
    const { stdout } = await cli.run(['workflows', 'show', id]);
    expect(stdout).toMatch(/^101 /m);
    expect(stdout).toMatch(/\n\nOnly the newest 100 versions are shown\.\n$/);
  });

  test('apply reports every fault with its position, as text and as JSON', async () => {
    const faulty = { ...inboundLead, inputs: { email: { type: 'text' } }, steps: [{ id: 'x', use: 'contact.make' }] };
    const path = await fileOf(faulty);
    const { code, stdout, stderr } = await cli.run(['workflows', 'apply', path, '--org', org, '--json']);
    const { error, message, faults } = JSON.parse(stderr);
    expect({ code, stdout, error }).toEqual({ code: 2, stdout: '', error: 'validation_error' });
    expect(message).toContain(`${faults.length} faults`);
    const paths = faults.map((fault: { path: string }) => fault.path);
    expect(paths).toEqual(expect.arrayContaining(['inputs.email.type', 'steps[0].use']));
    expect(faults[0]).toMatchObject({ message: expect.any(String) });
    const people = await relata(['workflows', 'validate', path]);
    expect(people.code).toBe(2);
    for (const at of paths) expect(people.stderr).toContain(`\n  ${at}: `);
  });

  test('apply warns of assignments that lack a new required input, and receivers drop them from their caches', async () => {
    await using messaging = new Messaging({ url: natsUrl(), name: 'test' });
    const definition = { ...inboundLead, name: 'growing' };
    const workflowId = await makeWorkflow(cli.database(), org, definition);
    const trigger = await makeTrigger(cli.database(), org);
    const assigned = { triggerId: trigger.id, workflowId, inputs: { email: 'payload.email' } };
    await makeAssignment(cli.database(), org, assigned);
    let told = 0;
    messaging.subscribe(triggersChanged, ({ ids }) => void (told += ids.filter((id) => id === trigger.id).length));
    await messaging.connected(60_000);
    const path = await fileOf({
      ...definition,
      inputs: { ...definition.inputs, company: { type: 'string', required: true } },
    });
    const { code, stdout, stderr } = await cli.run(['workflows', 'apply', path, '--org', org, '--json']);
    expect({ code, action: JSON.parse(stdout).action }).toEqual({ code: 0, action: 'updated' });
    expect(stderr).toMatch(new RegExp(`"Web form" \\(${trigger.id}\\).*"company" is required`));
    await until(() => expect(told).toBe(1));
    const { triggers } = await cli.json('workflows', 'show', 'growing');
    expect(triggers).toEqual([{ id: trigger.id, name: 'Web form', inputs: { email: 'payload.email' }, filter: null }]);
  });

  test('apply and validate warn of an optional input that is read without has() (found C6)', async () => {
    const steps = [{ id: 'log', use: 'activity.create', with: { content: 'From ${{ inputs.company }}' } }];
    const path = await fileOf({ name: 'hoping', inputs: { company: { type: 'string' } }, steps });
    for (const args of [
      ['apply', path, '--org', org],
      ['validate', path],
    ]) {
      const { code, stderr } = await cli.run(['workflows', ...args]);
      expect(code).toBe(0);
      expect(stderr).toContain('relata: steps[0].with.content: The input company is optional.');
      expect(stderr).toContain('Write ${{ has(inputs.company) ? inputs.company : … }}');
    }
  });

  test('apply warns of a URL that depends on data, as text and as JSON', async () => {
    const call = { id: 'call', use: 'http.request', with: { method: 'GET', url: '${{ payload.url }}' } };
    const safe = { ...call, id: 'safe', with: { method: 'GET', url: 'https://api.example/${{ payload.id }}' } };
    const twice = {
      ...call,
      id: 'twice',
      with: { method: 'GET', url: 'https://api.example/${{ urlEncode(payload.id) }}' },
    };
    const loop = { id: 'each', use: 'for_each', with: { items: [] }, steps: [call] };
    const path = await fileOf({ name: 'calling', steps: [loop, safe, twice] });
    const { warnings } = JSON.parse((await cli.run(['workflows', 'apply', path, '--org', org, '--json'])).stdout);
    expect(warnings).toEqual([
      { path: 'steps[0].steps[0].with.url', message: expect.stringContaining('whole URL'), hint: expect.any(String) },
      {
        path: 'steps[2].with.url',
        message: expect.stringContaining('encoded a second time'),
        hint: expect.any(String),
      },
    ]);
    for (const args of [
      ['apply', path, '--org', org],
      ['validate', path],
    ]) {
      const { code, stdout, stderr } = await cli.run(['workflows', ...args]);
      expect({ code, isShownOnce: !stdout.includes('whole URL') }).toEqual({ code: 0, isShownOnce: true });
      expect(stderr).toContain('relata: steps[0].steps[0].with.url: The whole URL is an expression');
    }
    expect((await apply(inboundLead)).warnings).toEqual([]);
  });

  test.each([
    ['a missing file', () => join(folder, 'none.json'), 3, 'There is no file'],
    ['a folder', () => folder, 2, 'cannot be read'],
    ['a file of more than 256 KB', () => fileOf(' '.repeat(262_145)), 2, 'larger than 256 KB'],
    ['bytes that are not text', () => fileOf(Buffer.from([0x7b, 0xff])), 2, 'UTF-8'],
  ])('apply refuses %s', async (_what, path, code, said) => {
    const fault = await cli.fault('workflows', 'apply', await path(), '--org', org);
    expect(fault).toMatchObject({ code, message: expect.stringContaining(said) });
  });
});

test('a definition is validated without a database, and may come from standard input', async () => {
  await fileOf(inboundLead);
  expect(await relata(['workflows', 'validate', 'workflow.json', '--json'], { cwd: folder })).toMatchObject({
    code: 0,
  });
  const { stdout } = await relata(['workflows', 'validate', '-', '--json'], { stdin: JSON.stringify(inboundLead) });
  expect(JSON.parse(stdout)).toEqual({
    name: 'inbound-lead',
    valid: true,
    inputs: ['email', 'source'],
    steps: ['log', 'tell'],
  });
});

test('if the tool runs in a container, the error for a missing file suggests standard input', async () => {
  const validate = (words: string) =>
    relata(['workflows', 'validate', 'here.json'], { cwd: folder, env: { RELATA_COMMAND: words } });
  const { stderr } = await validate('docker compose run --rm relata');
  expect(stderr).toMatch(/There is no file here\.json\. .* container.* standard input\.$/m);
  expect((await validate('npx relata')).stderr).toMatch(/There is no file here\.json\.$/m);
});

test('a name that several organizations use needs --org', async () => {
  await makeWorkflow(cli.database(), org, { ...inboundLead, name: 'shared' });
  const { id: globex } = await createOrganization(cli.database(), 'Globex');
  expect(await cli.fault('workflows', 'show', 'shared', '--org', globex)).toMatchObject({ code: 3 });
  await makeWorkflow(cli.database(), globex, { ...inboundLead, name: 'shared' });
  expect(await cli.fault('workflows', 'show', 'shared')).toMatchObject({
    code: 2,
    message: expect.stringMatching(new RegExp(`${org}.*${globex}.*--org`)),
  });
  expect(await cli.json('workflows', 'show', 'shared', '--org', globex)).toMatchObject({ org_id: globex });
});
