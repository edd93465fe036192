import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { newId } from '@relata/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { relata } from '../../cli/src/cli.harness.ts';
import { startTrashApi, type TrashApi } from '../../records-api/src/trash/trash.harness.ts';

const run = promisify(execFile);
const page = await readFile(new URL('../../../docs/forget-a-person.md', import.meta.url), 'utf8');

/** Code blocks of the page, in order. */
const blocks = [...page.matchAll(/^```(sh|sql)\n([^]*?)^```$/gm)].map(([, language, text]) => ({
  language,
  text: text!,
}));
const blockOf = (part: RegExp) => blocks.find(({ text }) => part.test(text))!.text;

let api: TrashApi;
let env: Record<string, string>;
beforeAll(async () => {
  api = await startTrashApi();
  const { orgId, key } = api.tenant;
  env = { RELATA: api.url, KEY: key, ORG_ID: orgId, EMAIL: 'ada+crm@robotics.example', PATH: process.env['PATH']! };
});
afterAll(() => api[Symbol.asyncDispose]());

async function curl(part: RegExp) {
  const { stdout } = await run('sh', ['-c', blockOf(part)], { env });
  return JSON.parse(stdout) as { data?: { id: string }[] & { id: string }; error?: string; meta?: object };
}

/** Runs a command of the tool. Names such as `$EMAIL` get their values from `env`. */
async function tool(text: string) {
  const args = text
    .replaceAll(/"?\$(\w+)"?/g, (_, name: string) => env[name]!)
    .trim()
    .split(' ');
  const { code, stdout, stderr } = await relata([...args.slice(2), '--json'], { env: { DATABASE_URL: api.db.url } });
  expect(code, `${text} ${stderr}`).toBe(0);
  return JSON.parse(stdout) as Record<string, unknown>;
}

async function query(text: string, email = env['EMAIL']!) {
  const filled = text.replaceAll('ORG_ID', env['ORG_ID']!).replaceAll('EMAIL', email.replaceAll("'", "''"));
  const results = [];
  for (const each of filled.split(/;\n/).filter((part) => part.trim() !== ''))
    results.push(...(await api.sql<Record<string, string>>(each)));
  return results;
}

/** Stores deliveries with these bodies, as a trigger does. */
async function deliver(bodies: readonly string[], headers = {}): Promise<void> {
  const { orgId } = api.tenant;
  const triggerId = newId();
  await api.sql('INSERT INTO webhook_triggers (org_id, id, name) VALUES ($1, $2, $3)', [orgId, triggerId, triggerId]);
  for (const body of bodies)
    await api.sql(
      'INSERT INTO webhook_deliveries (org_id, id, trigger_id, body, headers) VALUES ($1, $2, $3, $4, $5)',
      [orgId, newId(), triggerId, Buffer.from(body), JSON.stringify(headers)],
    );
}

test(
  'B7.5: the commands of the guide find a person everywhere, erase the records, and prove that nothing is left',
  { timeout: 120_000 },
  async () => {
    const email = env['EMAIL']!;
    const first_name = 'Augusta';
    const winner = await api.make('contacts', { first_name, email });
    const loser = await api.make('contacts', { first_name, email: email.toUpperCase() });
    await api.tenant.client('POST', api.pathOf('contacts', '/merge'), {
      body: { winner_id: winner.id, loser_ids: [loser.id] },
      headers: { 'Idempotency-Key': newId() },
    });
    const trashed = await api.make('contacts', { first_name, email: email.toUpperCase() });
    const purged = await api.make('contacts', { first_name, email });
    const former = await api.make('contacts', { first_name, email });
    await api.tenant.client('PATCH', api.pathOf('contacts', `/${former.id}`), { body: { email: 'ada@new.example' } });
    for (const { id } of [trashed, purged]) await api.remove('contacts', id);
    await api.sql('DELETE FROM trash WHERE id = $1', [purged.id]);
    await api.make('activities', { content: `Wrote to ${email}`, contact_ids: [winner.id] });
    await deliver([JSON.stringify({ email })]);

    const ids = new Set<string>();
    for (const part of [/data-urlencode/, /q=lovelace/, /trash\?resource/])
      for (const { id } of (await curl(part)).data!) ids.add(id);
    expect([...ids]).toEqual(expect.arrayContaining([winner.id, trashed.id]));
    for (const row of await query(blockOf(/FROM trash\n/))) ids.add(row['id']!);
    expect(ids).not.toContain(purged.id);
    for (const row of await query(blockOf(/FROM events e\n/))) ids.add(row['id']!);
    const people = [winner, trashed, purged, former].map(({ id }) => id);
    expect([...ids]).toEqual(expect.arrayContaining(people));

    const proof = blockOf(/query_to_xml/);
    expect(await query(proof)).toContainEqual({ name: 'public.webhook_deliveries' });
    for (const table of ['contacts', 'trash', 'events'])
      expect(await query(proof, 'augusta lovelace')).toContainEqual({ name: `public.${table}` });
    for (const text of [email, 'augusta lovelace'])
      expect(await query(blockOf(/AS kind/), text)).toContainEqual({
        org_id: env['ORG_ID'],
        record_id: purged.id,
        kind: 'contact',
      });
    for (const id of people) {
      env['CONTACT_ID'] = id;
      expect((await curl(/dry_run=true/)).meta).toMatchObject({ dry_run: true });
      const done = await tool(blockOf(/^npx relata records erase/));
      const isFirst = id === winner.id;
      expect(done).toMatchObject({ activities: +isFirst, merged_records: +isFirst, deliveries: +isFirst });
      const byApi = blocks.findLast(({ text }) => text.includes('-X DELETE'))!.text;
      expect(JSON.parse((await run('sh', ['-c', byApi], { env })).stdout)).toMatchObject({ error: 'not_found' });
      const history = (await curl(/history/)).data as unknown as { type: string; erased?: true; record: object }[];
      expect(history.at(-1)!.type).toBe('contact.erased');
      for (const event of history) expect(event).toMatchObject({ erased: true, record: { id } });
    }
    expect(await query(proof)).toEqual([]);
    expect(await query(proof, 'Augusta Lovelace')).toEqual([]);
    await query(blockOf(/VACUUM/));
  },
);

test('the guide erases a person who is an account, with its opportunities and the deliveries that name it', async () => {
  const account = await api.make('accounts', { account_name: 'Hopperworks' });
  await api.make('opportunities', { account_id: account.id });
  await deliver(['{"company":"Hopperworks"}']);
  env = { ...env, ACCOUNT_ID: account.id, ACCOUNT_NAME: 'Hopperworks' };
  expect(await tool(blockOf(/records erase account/))).toMatchObject({ erased: { opportunities: 1 }, deliveries: 1 });
  expect(await query(blockOf(/query_to_xml/), 'Hopperworks')).toEqual([]);
});

test('the dry run of the guide also finds addresses in other encodings, which its SQL statement does not find', async () => {
  env = { ...env, EMAIL: `o'brien@robotics.example`, CONTACT_ID: newId() };
  await deliver(['{"email":"O\'Brien@Robotics.Example"}', String.raw`{"email":"o'brien\u0040robotics.example"}`]);
  await deliver(['email=o%27brien%40robotics.example'], { 'content-type': 'application/x-www-form-urlencoded' });
  expect(await query(blockOf(/query_to_xml/))).toEqual([]);
  const dryRun = blockOf(/--also-runs --dry-run/);
  expect(await tool(dryRun)).toMatchObject({ deliveries: 3, runs: 0, active: 0, refused_posts: 0 });
  await tool(dryRun.replace('--dry-run', '--yes'));
  expect(await tool(dryRun)).toMatchObject({ deliveries: 0, refused_posts: 0 });
});

test('the tables that the guide explains exist', async () => {
  const table = /^\| Table[^]*?\n\n/m.exec(page)![0];
  const named = [...table.matchAll(/^\| (`[^|]*`)/gm)].flatMap(([, cell]) => cell!.split(', '));
  expect(named.length).toBeGreaterThan(10);
  const known = await api.sql<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()`,
  );
  for (const name of named) expect(known).toContainEqual({ name: name.trim().replaceAll('`', '') });
});
