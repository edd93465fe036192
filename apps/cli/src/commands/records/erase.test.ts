import { newId, statement } from '@relata/db';
import { insertExamples, type ExampleIds } from '@relata/testing';
import { beforeAll, expect, test } from 'vitest';
import { setUpCli } from '../../cli.harness.ts';

const cli = setUpCli();
let org: string;
let ids: ExampleIds;

beforeAll(async () => {
  org = (await cli.json('orgs', 'create', 'Acme')).id;
  ids = await insertExamples(cli.database(), org);
});

test('an erase needs --yes, or --dry-run, which only counts', async () => {
  const args = ['records', 'erase', 'contact', ids.contact, '--org', org];
  expect(await cli.fault(...args)).toMatchObject({ code: 2, message: expect.stringContaining('--yes') });
  expect(await cli.fault(...args, '--yes', '--text', 'Lovelace')).toMatchObject({
    code: 2,
    message: expect.stringContaining('--also-runs'),
  });
  const counted = await cli.json(...args, '--dry-run', '--also-runs');
  const erased = await cli.json(...args, '--also-runs', '--yes');
  expect(counted).toEqual(erased);
  expect(erased).toMatchObject({ id: ids.contact, deliveries: 0, runs: 0, active: 0, refused_posts: 0 });
  expect(await cli.fault(...args, '--yes')).toMatchObject({ code: 3 });
  expect(await cli.json(...args, '--also-runs', '--text', 'Lovelace', '--yes')).toEqual({
    id: ids.contact,
    deliveries: 0,
    runs: 0,
    active: 0,
    refused_posts: 0,
    texts: [ids.contact, 'Lovelace'],
  });
  const [event] = await cli.json('events', 'list', '--org', org, '--type', 'contact.erased');
  expect(event).toMatchObject({ actor: { type: 'operator' }, record: { id: ids.contact }, erased: true });
});

test('an account with opportunities needs --cascade', async () => {
  const args = ['records', 'erase', 'account', ids.account, '--org', org, '--yes'];
  expect(await cli.fault(...args)).toMatchObject({ code: 1, message: expect.stringContaining('--cascade') });
  expect((await cli.json(...args, '--cascade')).erased).toEqual({ opportunities: 1 });
});

const sql = <Row>(text: string, values: readonly unknown[] = []) => cli.owner().query(statement<Row>('', text), values);

/** Creates an organization with a contact, and a delivery that contains the contact's email address. */
async function makePerson() {
  const orgId: string = (await cli.json('orgs', 'create', 'Globex')).id;
  const { contact } = await insertExamples(cli.database(), orgId);
  const triggerId = newId();
  await sql(`INSERT INTO webhook_triggers (org_id, id, name) VALUES ($1, $2, 'Form')`, [orgId, triggerId]);
  await sql(
    `INSERT INTO webhook_deliveries (org_id, id, trigger_id, body, headers) VALUES ($1, $2, $3, '{"email":"ADA@robotics.example"}', '{}')`,
    [orgId, newId(), triggerId],
  );
  return { orgId, args: ['records', 'erase', 'contact', contact, '--org', orgId, '--also-runs', '--yes'] };
}

test('an erase that failed to delete the deliveries finds them again when it is repeated', async () => {
  const { args } = await makePerson();
  await sql(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'Out of order'; END $$`);
  await sql('CREATE TRIGGER fail BEFORE DELETE ON webhook_deliveries FOR EACH STATEMENT EXECUTE FUNCTION fail()');
  expect(await cli.fault(...args)).toMatchObject({ message: expect.stringContaining('Out of order') });
  await sql('DROP TRIGGER fail ON webhook_deliveries');
  const texts = expect.arrayContaining(['ada@robotics.example', 'Ada Lovelace']);
  expect(await cli.json(...args)).toMatchObject({ deliveries: 1, merged_records: 0, texts });
});

test('an erase that is refused deletes no delivery; with --text an erase prints all texts that it looks for', async () => {
  const { orgId, args } = await makePerson();
  const [account] = await sql<{ id: string }>('SELECT id FROM accounts WHERE org_id = $1', [orgId]);
  const refused = ['records', 'erase', 'account', account!.id, ...args.slice(4), '--text', 'ada@robotics.example'];
  expect(await cli.fault(...refused)).toMatchObject({ message: expect.stringContaining('--cascade') });
  const { stdout } = await cli.run([...args, '--text', "Ada's"]);
  expect(stdout).toContain(String.raw`--text 'ada@robotics.example' --text 'Ada Lovelace' --text 'Ada'\''s'`);
  expect(stdout).toMatch(/^deliveries +1$/m);
});
