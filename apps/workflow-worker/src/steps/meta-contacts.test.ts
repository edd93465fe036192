import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { statement } from '@relata/db';
import { operatorActor } from '@relata/events';
import { secretsSettings, setSecret } from '@relata/secrets';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startOutside } from '../outside.harness.ts';
import { startWorkflows, type Workflows } from '../workflow-worker.harness.ts';

const definition = await readFile(new URL('../../../../examples/senders/meta-contacts.json', import.meta.url), 'utf8');
const secretsKey = randomBytes(32).toString('base64');

let workflows: Workflows;
beforeAll(async () => {
  workflows = await startWorkflows();
  await workflows.openWorker({ secretsKey });
  const keys = secretsSettings.SECRETS_KEY.parse(secretsKey)!;
  await setSecret(workflows, operatorActor(workflows.orgId, 'test'), { name: 'META_TOKEN', value: 'EAAtoken' }, keys);
});
afterAll(() => workflows[Symbol.asyncDispose]());

const contactsIn = statement<{ text: string }>(
  'test.contacts',
  `SELECT concat_ws(', ', first_name, last_name, email, phone, company, array_to_string(tags, ' ')) AS text
   FROM contacts WHERE org_id = $1 ORDER BY last_name`,
);

const notes = statement<{ content: string }>('test.notes', 'SELECT content FROM custom_activities WHERE org_id = $1');

/** Completed forms, by the id of the lead. */
const leads: Record<string, Record<string, string>> = {
  '900719925474099301': { email: 'ada@example.com', full_name: 'Somebody Else', phone_number: '+442079460000' },
  '900719925474099302': { email: 'hedy@example.com', first_name: 'Hedy', last_name: 'Lamarr', company_name: 'Initech' },
  '900719925474099303': { full_name: 'No Address' },
};

test('the workflow for Meta creates a contact for each lead, logs several leads of one delivery, and keeps the name of a known person', async () => {
  await using meta = await startOutside((response, { url }) => {
    const [, id = ''] = /^\/v23\.0\/(\d+)\?fields=field_data$/.exec(url) ?? [];
    const fields = Object.entries(leads[id]!).map(([name, value]) => ({ name, values: [value] }));
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ id, field_data: fields }));
  });
  await workflows.database.query(
    statement<never>(
      'test.insert_known',
      `INSERT INTO contacts (org_id, id, first_name, last_name, tags, email)
       VALUES ($1, uuidv7(), 'Augusta', 'King', '{vip}', 'Ada@example.com')`,
    ),
    [workflows.orgId],
  );
  const posted = Object.keys(leads).map((id) => ({ changes: [{ field: 'leadgen', value: { leadgen_id: id } }] }));
  const two = ['1', '2'].map((id) => ({ field: 'leadgen', value: { leadgen_id: id } }));
  const entries = [...posted, { changes: two }, { changes: [{ field: 'feed', value: {} }] }, { messaging: [] }];
  const address = meta.url.replace(/\/$/, '');
  const local = JSON.parse(definition.replaceAll('https://graph.facebook.com', address)) as object;
  await workflows.run(local, { inputs: { entries } });
  expect(meta.received.map(({ headers }) => headers.authorization)).toEqual(Array(3).fill('Bearer EAAtoken'));
  expect((await workflows.database.query(contactsIn, [workflows.orgId])).map(({ text }) => text)).toEqual([
    'Augusta, King, Ada@example.com, +442079460000, vip inbound',
    'Hedy, Lamarr, hedy@example.com, Initech, inbound',
  ]);
  expect(await workflows.database.query(notes, [workflows.orgId])).toEqual([{ content: 'New leads: 1, 2' }]);
});
