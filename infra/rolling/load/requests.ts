import { chatPath, questionBody } from '@relata/testbed/chat-question';
import type { HttpClient } from '@relata/testbed/http-client';
import { LoadClients } from '@relata/testbed/load-clients';
import { Random } from '@relata/testbed/random';
import { ask } from './client.ts';
import type { LoadedOrganization } from './loaded-organization.ts';
import type { Tally } from './tally.ts';

const contacts = '/v1/records/contacts';
const readLatest = 50;

/** Accepted requests, whose effects must exist at the end. */
export interface Accepted {
  contacts: Map<string, string>;
  nonces: Set<string>;
}

export interface Load {
  client: HttpClient;
  organization: LoadedOrganization;
  tally: Tally;
  accepted: Accepted;
}

/** Rate of a kind of request, and the number of clients that share it. */
interface Rate {
  clients: number;
  perSecond: number;
  isWrite?: boolean;
}

const rates: Record<string, Rate> = {
  create: { clients: 4, perSecond: 12, isWrite: true },
  patch: { clients: 4, perSecond: 12, isWrite: true },
  read: { clients: 6, perSecond: 25 },
  webhook: { clients: 6, perSecond: 12, isWrite: true },
  console: { clients: 2, perSecond: 8 },
  // Each visitor requests the next response when one is complete.
  chat: { clients: 4, perSecond: 1_000 },
};

/** Sends every kind of request again and again until `end`. `writes` is a factor for the usual rate of writes. */
export function startRequests(load: Load, seed: number, writes: number) {
  const random = new Random(seed);
  const kinds: Record<string, () => Promise<unknown>> = {
    create: creating(load),
    patch: () => patch(load, random),
    read: () => read(load, random),
    webhook: posting(load),
    console: () => askConsole(load),
    chat: answering(load),
  };
  const clientGroups = Object.entries(kinds).map(([kind, each]) => {
    const { clients, perSecond, isWrite } = rates[kind]!;
    return new LoadClients({ clients, perSecond: isWrite ? perSecond * writes : perSecond, random, each });
  });
  for (const clients of clientGroups) clients.start();
  return {
    /** Stops sending, and waits for the remaining responses. */
    end: () => Promise.all(clientGroups.map((clients) => clients.end())),
    [Symbol.dispose]: () => {
      for (const clients of clientGroups) clients.stop();
    },
  };
}

const withKey = ({ apiKey }: LoadedOrganization) => ({ 'x-api-key': apiKey });

function creating({ client, organization, tally, accepted }: Load): () => Promise<void> {
  let count = 0;
  return async () => {
    const email = `made-${count++}@rolling.example`;
    const body = { first_name: 'Made', last_name: 'Rolling', email };
    const response = await ask(client, { method: 'POST', path: contacts, headers: withKey(organization), body });
    if (!tally.take('create', response, 201)) return;
    accepted.contacts.set(email, (JSON.parse(response.text) as { data: { id: string } }).data.id);
  };
}

const anyOf = ({ accepted }: Load, random: Random) => random.pick([...accepted.contacts.values()].slice(-readLatest));

async function patch(load: Load, random: Random): Promise<void> {
  const { client, organization, tally, accepted } = load;
  if (accepted.contacts.size === 0) return;
  const asked = {
    method: 'PATCH',
    path: `${contacts}/${anyOf(load, random)}`,
    headers: withKey(organization),
  } as const;
  tally.take('patch', await ask(client, { ...asked, body: { city: `City ${random.next()}` } }), 200);
}

async function read(load: Load, random: Random): Promise<void> {
  const { client, organization, tally, accepted } = load;
  if (accepted.contacts.size === 0) return;
  const isList = random.has(0.3);
  const path = isList ? `${contacts}?limit=20` : `${contacts}/${anyOf(load, random)}`;
  tally.take(isList ? 'list' : 'get', await ask(client, { path, headers: withKey(organization) }), 200);
}

function posting({ client, organization, tally, accepted }: Load): () => Promise<void> {
  let count = 0;
  const { path, headers } = organization.target;
  return async () => {
    const nonce = `n${count++}`;
    const response = await ask(client, { method: 'POST', path, headers, body: { nonce } });
    if (tally.take('webhook', response, 202)) accepted.nonces.add(nonce);
  };
}

async function askConsole({ client, organization, tally }: Load): Promise<void> {
  const headers = { cookie: organization.cookie, 'sec-fetch-site': 'same-origin' };
  tally.take('console', await ask(client, { path: '/console/api/me', headers }), 200);
}

/**
 * Returns a task that asks a question, and compares the response with the first one, which was received before any
 * replica was replaced.
 */
function answering({ client, organization, tally }: Load): () => Promise<void> {
  const body = questionBody('What does the Team plan cost?');
  let first: string | undefined;
  return async () => {
    const response = await ask(client, { method: 'POST', path: chatPath, headers: withKey(organization), body });
    if (!tally.take('chat', response, 200)) return;
    const said = textOf(response.text);
    first ??= said;
    const isWhole = response.text.endsWith('data: [DONE]\n\n') && /"finishReason":"stop"/.test(response.text);
    if (!isWhole) tally.fail('chat', `cut off: ${response.text.slice(-300)}`);
    else if (said !== first) tally.fail('chat', `another answer: ${said.slice(0, 200)}`);
  };
}

/** Returns the text that a visitor reads. */
function textOf(stream: string): string {
  const deltas = stream.matchAll(/^data: (\{"type":"text-delta".*\})$/gm);
  return [...deltas].map(([, json]) => (JSON.parse(json!) as { delta: string }).delta).join('');
}
