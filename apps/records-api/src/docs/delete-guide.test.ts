import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTrashApi, type TrashApi } from '../trash/trash.harness.ts';
import { patternOf, withoutSpace } from './shown-response.harness.ts';

const run = promisify(execFile);
const page = await readFile(new URL('../../../../docs/delete-restore-merge.md', import.meta.url), 'utf8');

/**
 * Commands of the page in their order, each with the response that the page shows and the variable in which the reader
 * keeps a value from that response.
 */
const commands = [...page.matchAll(/^```sh\n([^]*?)^```\n([^]*?)(?=^```sh|(?![^]))/gm)].map(([, command, text]) => ({
  command: command!,
  response: /^```json\n([^]*?)^```/m.exec(text!)?.[1],
  isDeletionKept: /Keep its `deletion_id` as `DELETION`/.test(text!),
}));

let api: TrashApi;
beforeAll(async () => {
  api = await startTrashApi();
});
afterAll(() => api[Symbol.asyncDispose]());

test('the commands of the guide give the answers that it shows', { timeout: 60_000 }, async () => {
  const account = await api.make('accounts', { account_name: 'Example Robotics' });
  await api.make('contacts', { account_id: account.id });
  const contact = await api.make('contacts', { first_name: 'Ada', tags: ['vip'] });
  const duplicate = await api.make('contacts', { first_name: 'Ada', phone: '+41 44 000 00 00', tags: ['press'] });
  await api.make('opportunities', { account_id: account.id, contact_ids: [duplicate.id] });
  const env: Record<string, string> = {
    RELATA: api.url,
    KEY: api.tenant.key,
    ACCOUNT: account.id,
    CONTACT: contact.id,
    DUPLICATE: duplicate.id,
    PATH: process.env['PATH']!,
  };
  expect(commands.length).toBeGreaterThanOrEqual(8);
  for (const { command, response, isDeletionKept } of commands) {
    const { stdout } = await run('sh', ['-c', command], { env });
    expect(withoutSpace(stdout), command).toMatch(response === undefined ? /^\{"data":/ : patternOf(response));
    if (isDeletionKept) env['DELETION'] = (JSON.parse(stdout) as { meta: { deletion_id: string } }).meta.deletion_id;
  }
  // After the whole guide, all data is as it was before.
  expect((await api.get('contacts', duplicate.id)).body.data).toMatchObject({ phone: '+41 44 000 00 00' });
  expect((await api.get('contacts', contact.id)).body.data).not.toHaveProperty('phone');
});
