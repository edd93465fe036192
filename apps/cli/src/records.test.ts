import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { setUpCli } from './cli.harness.ts';

const cli = setUpCli();
let org: string;

beforeAll(async () => {
  org = (await cli.json('orgs', 'create', 'Acme')).id;
});

const makePipeline = (name: string, ...flags: string[]) =>
  cli.json('pipelines', 'create', '--org', org, '--name', name, ...flags);

const makeStage = (pipeline: string, ...options: string[]) =>
  cli.json('stages', 'create', '--org', org, '--pipeline', pipeline, '--name', 'A stage', ...options);

const ada = ['--email', 'ada@example.com', '--first-name', 'Ada', '--last-name', 'Lovelace'];

test('an organization is created and listed', async () => {
  const made = await cli.json('orgs', 'create', 'Émile & Søn');
  expect(made).toEqual({ id: expect.any(String), name: 'Émile & Søn', created_at: expect.stringMatching(/Z$/) });
  expect(await cli.json('orgs', 'list')).toContainEqual(made);
});

test('a user is an active member by default', async () => {
  const plain = await cli.json('users', 'create', '--org', org, ...ada);
  expect(plain).toMatchObject({ email: 'ada@example.com', role: 'member', status: 'active' });
  const given = [
    '--role',
    'admin',
    '--status',
    'invited',
    '--job-function',
    'sales',
    '--job-level',
    'lead',
    '--profile-photo',
    'p1',
  ];
  const full = await cli.json('users', 'create', '--org', org, ...ada, ...given);
  expect(full).toMatchObject({
    role: 'admin',
    status: 'invited',
    job_function: 'sales',
    job_level: 'lead',
    profile_photo: 'p1',
  });
  expect(await cli.json('users', 'list', '--org', org)).toEqual([plain, full]);
});

test('all problems of a command are reported at once', async () => {
  const { code, message } = await cli.fault('users', 'create', '--org', '', '--email', 'nobody', '--first-name', '');
  expect(code).toBe(2);
  for (const named of ['--org ""', '--email "nobody"', '--first-name', '--last-name: Is required'])
    expect(message).toContain(named);
});

test('an organization is found by its id, by a unique name, or by RELATA_ORG', async () => {
  const { id } = await cli.json('orgs', 'create', 'Initech');
  const list = async (given: string[], env = {}) => {
    const { code, stdout, stderr } = await cli.run(['keys', 'list', ...given, '--json'], env);
    return code === 0 ? JSON.parse(stdout) : { code, ...JSON.parse(stderr) };
  };
  const made = await cli.json('keys', 'create', '--org', 'Initech', '--scope', 'chat');
  expect(made.org_id).toBe(id);
  for (const found of [await list(['--org', 'Initech']), await list([], { RELATA_ORG: 'Initech' })])
    expect(found).toMatchObject([{ id: made.id }]);
  expect(await list(['--org', org], { RELATA_ORG: 'Initech' })).not.toContainEqual(
    expect.objectContaining({ id: made.id }),
  );
  expect(await list([], { RELATA_ORG: '' })).toMatchObject({ code: 2, message: '--org: Is required.' });
  expect(await list(['--org', 'Nobody'])).toMatchObject({ code: 3, error: 'not_found' });
  const { id: second } = await cli.json('orgs', 'create', 'Initech');
  const ambiguous = await list(['--org', 'Initech']);
  expect(ambiguous).toMatchObject({ code: 2, error: 'validation_error' });
  for (const one of [id, second]) expect(ambiguous.message).toContain(one);
  expect(await list(['--org', id])).toHaveLength(1);
});

test('an organization that does not exist is not found, and nothing is written', async () => {
  const unknown = randomUUID();
  const commands = [
    ['users', 'create', ...ada],
    ['users', 'list'],
    ['pipelines', 'create', '--name', 'Sales', '--default'],
    ['pipelines', 'list'],
    ['stages', 'create', '--pipeline', randomUUID(), '--name', 'Won'],
    ['stages', 'list'],
    ['keys', 'create', '--scope', 'chat'],
    ['keys', 'list'],
  ];
  const faults = await Promise.all(commands.map((command) => cli.fault(...command, '--org', unknown)));
  for (const fault of faults)
    expect(fault).toMatchObject({ code: 3, error: 'not_found', message: expect.stringContaining(unknown) });
});

test('the newest default pipeline replaces the previous one', async () => {
  const first = await makePipeline('Old business', '--default');
  const second = await makePipeline('New business', '--default');
  const idle = await makePipeline('Later', '--inactive');
  expect([first, second, idle].map(({ active, is_default }) => [active, is_default])).toEqual([
    [true, true],
    [true, true],
    [false, false],
  ]);
  expect(await defaultsOf()).toEqual([second.id]);
});

test('default pipelines created concurrently leave one default', async () => {
  const made = await Promise.all(['a', 'b', 'c', 'd'].map((name) => makePipeline(name, '--default')));
  const defaults = await defaultsOf();
  expect(defaults).toHaveLength(1);
  expect(made.map(({ id }) => id)).toContain(defaults[0]);
});

async function defaultsOf(): Promise<string[]> {
  const pipelines: { id: string; is_default: boolean }[] = await cli.json('pipelines', 'list', '--org', org);
  return pipelines.filter(({ is_default }) => is_default).map(({ id }) => id);
}

test('a stage is added at the end unless its position is given', async () => {
  const { id } = await makePipeline('Sales');
  const places = [];
  for (const given of [[], [], ['--order', '10'], [], ['--order', '0']])
    places.push((await makeStage(id, ...given)).display_order);
  expect(places).toEqual([1, 2, 10, 11, 0]);
});

test('a pipeline is renamed by its id', async () => {
  const { id } = await makePipeline('Old name');
  const renamed = await cli.json('pipelines', 'rename', id, '--org', org, '--name', 'New name');
  expect(renamed).toMatchObject({ id, name: 'New name' });
  const missing = await cli.fault('pipelines', 'rename', randomUUID(), '--org', org, '--name', 'X');
  expect(missing).toMatchObject({ code: 3, message: expect.stringContaining('relata pipelines list') });
});

test('stages created concurrently get different positions', async () => {
  const { id } = await makePipeline('Busy');
  const made = await Promise.all([1, 2, 3, 4].map(() => makeStage(id)));
  expect(made.map(({ display_order }) => display_order).sort((a, b) => a - b)).toEqual([1, 2, 3, 4]);
});

test('a stage that is won or lost is closed', async () => {
  const { id } = await makePipeline('Outcomes');
  const outcomes = await Promise.all(
    [[], ['--won'], ['--lost'], ['--closed', '--inactive']].map((given) => makeStage(id, ...given)),
  );
  expect(outcomes.map(({ is_won, is_lost, is_closed, active }) => ({ is_won, is_lost, is_closed, active }))).toEqual([
    { is_won: false, is_lost: false, is_closed: false, active: true },
    { is_won: true, is_lost: false, is_closed: true, active: true },
    { is_won: false, is_lost: true, is_closed: true, active: true },
    { is_won: false, is_lost: false, is_closed: true, active: false },
  ]);
});

test('stages are listed by pipeline, with their criteria', async () => {
  const [one, other] = [await makePipeline('One'), await makePipeline('Other')];
  const stage = await makeStage(one.id, '--entry-criteria', 'A call', '--exit-criteria', 'An offer');
  await makeStage(other.id);
  expect(stage).toMatchObject({ entry_criteria: 'A call', exit_criteria: 'An offer' });
  expect(await cli.json('stages', 'list', '--org', org, '--pipeline', one.id)).toEqual([stage]);
});

test('a stage needs a pipeline of its organization, a numeric position and one outcome', async () => {
  const globex = await cli.json('orgs', 'create', 'Globex');
  const foreign = await cli.json('pipelines', 'create', '--org', globex.id, '--name', 'Theirs');
  const create = ['stages', 'create', '--org', org, '--name', 'A stage', '--pipeline', foreign.id];
  expect(await cli.fault(...create)).toMatchObject({ code: 3, message: expect.stringContaining(foreign.id) });
  expect(await cli.fault('stages', 'list', '--org', org, '--pipeline', foreign.id)).toMatchObject({ code: 3 });
  for (const place of ['first', '-1', '1.5', '2147483648', ''])
    expect(await cli.fault(...create, '--order', place)).toMatchObject({ code: 2 });
  expect(await cli.fault(...create, '--won', '--lost')).toMatchObject({ code: 2, error: 'validation_error' });
});
