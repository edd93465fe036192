import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { apiGuide } from '@relata/schemas';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { post, type Post, startTriggered } from './webhook-ingest.harness.ts';

const run = promisify(execFile);
const page = await readFile(new URL('../../../docs/webhooks.md', import.meta.url), 'utf8');

let receiver: Awaited<ReturnType<typeof startTriggered>>;
beforeAll(async () => void (receiver = await startTriggered()));
afterAll(() => receiver[Symbol.asyncDispose]());

/** Returns the shell commands of a document, with an existing trigger instead of the example. */
function commandsOf(text: string): string {
  const [, commands] = /```sh\n([\s\S]*?)```/.exec(text)!;
  return commands!
    .replace(/^TRIGGER_URL=.*$/m, `TRIGGER_URL=${receiver.url}/webhooks/trigger/${receiver.trigger.id}`)
    .replace(/^WEBHOOK_SECRET=.*$/m, `WEBHOOK_SECRET=${receiver.trigger.secret}`)
    .replace('form-2041', `form-${text.length}`);
}

test.each([
  ['docs/webhooks.md', page],
  ['the page of the API', apiGuide],
])('the curl command of %s is accepted, and its repeat is stored once', async (_where, text) => {
  const before = (await receiver.deliveries()).length;
  for (const _attempt of [1, 2]) {
    const { stdout } = await run('sh', ['-c', commandsOf(text)]);
    expect(JSON.parse(stdout)).toEqual({ received: true });
  }
  const stored = await receiver.deliveries();
  expect(stored.length - before).toBe(1);
  expect(JSON.parse(stored.at(-1)!.body.toString())).toMatchObject({ user: { email: 'hedy@initech.example' } });
});

const deep = `${'{"a":'.repeat(21)}1${'}'.repeat(21)}`;

test.each<[number, string, Post]>([
  [400, 'an array', { body: '[]' }],
  [400, 'too many levels', { body: deep }],
  [401, 'a wrong secret', { secret: 'nonsense' }],
  [404, 'an unknown trigger', { secret: 'nonsense' }],
  [405, 'another method', { method: 'PUT' }],
  [413, 'a large body', { body: `"${'x'.repeat(524_288)}"` }],
])('docs/webhooks.md quotes the response %i to %s word for word', async (status, what, sent) => {
  const id = what === 'an unknown trigger' ? receiver.orgId : receiver.trigger.id;
  const response = await post(receiver.url, id, { secret: receiver.trigger.secret, ...sent });
  expect(response.status).toBe(status);
  const { error } = response.body as { error: string };
  const row = page.split('\n').find((line) => line.includes(`| \`${error}\``) && line.includes(` ${status} |`));
  expect(row, `${status} ${error}`).toBeDefined();
});
