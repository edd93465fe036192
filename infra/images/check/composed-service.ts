import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '@relata/testbed/until';
import { root, type Stack } from './docker.ts';

const withinMs = 60_000;
const httpPort = '18080';
const base = `http://127.0.0.1:${httpPort}`;

const password = () => randomBytes(24).toString('hex');

/** Returns the settings that `.env.example` requires, and ports that differ from those of a usual installation. */
export const environment = (image: string) => ({
  RELATA_IMAGE: image,
  POSTGRES_PASSWORD: password(),
  POSTGRES_APP_PASSWORD: password(),
  NATS_TOKEN: password(),
  HTTP_PORT: httpPort,
  HTTPS_PORT: '18443',
  GRAFANA_PORT: '13000',
});

interface Trigger {
  id: string;
  url: string;
  secret: string;
}

/** An organization in the stack of Compose. Its trigger starts a workflow that creates a contact from each lead. */
export type ComposedService = Awaited<ReturnType<typeof createService>>;

/** Sets an organization up with the operator's tool, as documented. */
export async function createService(stack: Stack) {
  const { id: orgId } = stack.relata<{ id: string }>(['orgs', 'create', 'Acme']);
  const { key } = stack.relata<{ key: string }>(['keys', 'create', '--org', orgId, '--scope', 'records:read']);
  const example = await readFile(join(root, 'examples', 'inbound-lead.json'), 'utf8');
  stack.relata(['workflows', 'apply', '-', '--org', orgId], example);
  const trigger = stack.relata<Trigger>(['triggers', 'create', '--org', orgId, '--name', 'Web form']);
  stack.relata(['triggers', 'assign', trigger.id, 'inbound-lead', '--input', 'email=payload.email']);
  const hasContact = async (email: string): Promise<boolean> => {
    const url = `${base}/v1/records/contacts?email=${encodeURIComponent(email)}`;
    const response = await ask(url, 200, { headers: { 'x-api-key': key } });
    return (response as { data: unknown[] }).data.length === 1;
  };
  return {
    hasContact,
    /**
     * Posts a lead to the URL that the tool printed, and waits for its contact. The lead passes through the proxy, the
     * receiver, NATS, the worker and the database.
     */
    becomesContact: async (email: string) => {
      const headers = { 'x-webhook-secret': trigger.secret, 'content-type': 'application/json' };
      await ask(trigger.url, 202, { method: 'POST', headers, body: JSON.stringify({ email }) });
      await until(`the contact ${email} that the workflow makes`, () => hasContact(email), withinMs);
    },
    /** Throws if the console or the documentation cannot be opened. */
    checkPages: async () => {
      for (const page of ['/console/', '/docs']) await ask(base + page, 200);
    },
  };
}

/**
 * Sends a request through the proxy, and returns the body, parsed if it is JSON. Throws if the response does not have
 * the status `status`.
 */
async function ask(url: string, status: number, init: RequestInit = {}): Promise<unknown> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(10_000) });
  const text = await response.text();
  if (response.status !== status)
    throw new Error(`Expected status ${status} from ${url}, received ${response.status}: ${text.slice(0, 1_000)}`);
  return response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text;
}
