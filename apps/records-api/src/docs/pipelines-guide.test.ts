import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../records-api.harness.ts';
import { createEmptyOrganization } from '../settings/settings.harness.ts';

const run = promisify(execFile);
const page = await readFile(new URL('../../../../docs/pipelines.md', import.meta.url), 'utf8');

/** Commands of the page in their order, each with the variable in which the reader keeps the id of the response. */
const commands = [...page.matchAll(/^```sh\n([^]*?)^```\n([^]*?)(?=^```sh|(?![^]))/gm)].map(([, command, text]) => ({
  command: command!,
  keptAs: /Keep its `id` as `(\w+)`/.exec(text!)?.[1],
}));

let api: TestApi;

beforeAll(async () => void (api = await startTestApi()));
afterAll(() => api[Symbol.asyncDispose]());

test('B8.1: the commands of the guide set up an organization with only an API key', { timeout: 60_000 }, async () => {
  const { client, key } = await createEmptyOrganization(api);
  const env: Record<string, string> = { RELATA: api.url, KEY: key, PATH: process.env['PATH']! };
  expect(commands.length).toBeGreaterThanOrEqual(9);
  for (const { command, keptAs } of commands) {
    const { stdout } = await run('sh', ['-c', command], { env });
    const response = JSON.parse(stdout) as { data?: { id: string } };
    expect(response, command).toHaveProperty('data');
    if (keptAs !== undefined) env[keptAs] = response.data!.id;
  }
  const { body: stages } = await client('GET', '/v1/records/stages');
  expect(stages.data.map(({ name, display_order: at }: { name: string; display_order: number }) => [name, at])).toEqual(
    [
      ['Qualified', 1],
      ['Won', 3],
    ],
  );
  const { body: opportunities } = await client('GET', '/v1/records/opportunities');
  expect(opportunities.data).toMatchObject([{ pipeline: 'Sales', stage_id: env['QUALIFIED'], owner_id: env['ADA'] }]);
});
