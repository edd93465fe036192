import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '@relata/testbed/until';
import { root, Stack } from './docker.ts';

const withinMs = 60_000;
const httpPort = '18080';
const base = `http://127.0.0.1:${httpPort}`;

const password = () => randomBytes(24).toString('hex');

/** The settings that `.env.example` asks for, and nothing more; with empty ones as Compose passes them. */
const environment = (image: string) => ({
  RELATA_IMAGE: image,
  POSTGRES_PASSWORD: password(),
  POSTGRES_APP_PASSWORD: password(),
  NATS_TOKEN: password(),
  HTTP_PORT: httpPort,
  HTTPS_PORT: '18443',
});

interface Trigger {
  id: string;
  url_path: string;
  secret: string;
}

/**
 * Brings up the stack of Compose, and sees a webhook become a contact by a workflow: through the proxy, the receiver, NATS,
 * the worker and the database. Then the pages that people open. Its containers and volumes are removed in the end.
 */
export async function checkComposedStack(image: string): Promise<void> {
  using stack = new Stack(environment(image));
  stack.compose(['up', '--detach', '--no-build', '--wait', '--wait-timeout', '180']);
  const { id: orgId } = stack.relata<{ id: string }>(['orgs', 'create', 'Acme']);
  const { key } = stack.relata<{ key: string }>(['keys', 'create', '--org', orgId, '--scope', 'records:read']);
  const { url_path: path, secret } = await makeTrigger(stack, orgId);
  const headers = { 'x-webhook-secret': secret, 'content-type': 'application/json' };
  await ask(path, 202, { method: 'POST', headers, body: JSON.stringify({ email: 'ada@robotics.example' }) });
  await until(
    'the contact that the workflow makes',
    async () => {
      const { data } = (await ask('/v1/records/contacts', 200, { headers: { 'x-api-key': key } })) as {
        data: unknown[];
      };
      return data.length === 1;
    },
    withinMs,
  );
  for (const page of ['/console/', '/docs']) await ask(page, 200);
}

/** A trigger that starts the example of the documentation: a lead becomes a contact. */
async function makeTrigger(stack: Stack, orgId: string): Promise<Trigger> {
  const example = await readFile(join(root, 'examples', 'inbound-lead.json'), 'utf8');
  stack.relata(['workflows', 'apply', '-', '--org', orgId], example);
  const trigger = stack.relata<Trigger>(['triggers', 'create', '--org', orgId, '--name', 'Web form']);
  stack.relata(['triggers', 'assign', trigger.id, 'inbound-lead', '--input', 'email=payload.email']);
  return trigger;
}

/** Asks through the proxy; returns JSON where the answer is that. Throws where it has another status. */
async function ask(path: string, status: number, init: RequestInit = {}): Promise<unknown> {
  const answer = await fetch(base + path, { ...init, signal: AbortSignal.timeout(10_000) });
  const text = await answer.text();
  if (answer.status !== status) throw new Error(`${path} was answered with ${answer.status}: ${text.slice(0, 1_000)}`);
  return answer.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text;
}
