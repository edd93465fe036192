import { randomUUID } from 'node:crypto';
import { watchCommits } from './effects.ts';
import { HttpClient, type Sent } from '@relata/testbed/http-client';
import { modelText } from '@relata/testbed/outside-servers';
import type { TestTrigger } from '@relata/testbed/fixtures';
import type { Party } from '../test-bed/party.ts';
import type { ProbeJob, ProbeName } from './probe.ts';

/**
 * Sends request number `turn`. Resolves to the time at which its effect was complete, or to undefined if it was
 * complete when the promise resolved.
 */
export type Ask = (turn: number, signal: AbortSignal) => Promise<number | undefined | void>;

export interface ProbeKind {
  everyMs: number;
  open(job: ProbeJob): Ask;
}

export class WrongResponseError extends Error {}

/** Message of a form: 1 KB. */
const message = 'We assemble gearboxes and would like to see what your team could do with this. '.repeat(12);

const question = 'What does the Team plan cost?';

export const probeKinds: Record<ProbeName, ProbeKind> = {
  get: records(20, ({ accountIds }, turn) => ({ path: `/v1/records/accounts/${at(accountIds, turn)}` })),
  post: records(40, (_other, turn) => ({
    method: 'POST',
    path: '/v1/records/accounts',
    body: { account_name: `Healthy Neighbour ${turn}`, domain: 'healthy.example', tags: ['inbound'] },
  })),
  patch: records(40, ({ accountIds }, turn) => ({
    method: 'PATCH',
    path: `/v1/records/accounts/${at(accountIds, turn)}`,
    body: { city: `Zurich ${turn}` },
  })),
  activity: records(40, (_other, turn) => ({
    method: 'POST',
    path: '/v1/activities/custom',
    body: { content: `Talked to a healthy neighbour, ${turn}`, direction: 'inbound' },
  })),
  page: records(50, () => ({ path: '/v1/records/accounts?limit=25' })),
  webhook: { everyMs: 25, open: ({ urls, other }) => deliver(urls, other.plain) },
  sibling: { everyMs: 25, open: ({ urls, flooder }) => deliver(urls, flooder.sibling) },
  run: { everyMs: 50, open: (job) => runToEffect(job, job.other.leads) },
  call: { everyMs: 100, open: (job) => runToEffect(job, job.other.calls) },
  chat: { everyMs: 50, open: (job) => firstToken(job, job.other) },
  model: { everyMs: 50, open: (job) => firstToken(job, job.flooder) },
  demo: { everyMs: 50, open: askForDemo },
  // A session may send 20 requests a second.
  console: { everyMs: 60, open: lookAtTriggers },
};

function records(everyMs: number, sentOf: (other: Party, turn: number) => Sent): ProbeKind {
  const open = ({ urls, other }: ProbeJob): Ask => {
    const client = new HttpClient(urls['records-api']!);
    const headers = { 'x-api-key': other.keys[0]! };
    return (turn, signal) => {
      const sent = sentOf(other, turn);
      return expectStatus(client, { ...sent, headers, signal }, sent.method === 'POST' ? 201 : 200);
    };
  };
  return { everyMs, open };
}

function deliver(urls: ProbeJob['urls'], { path, headers }: TestTrigger): Ask {
  const client = new HttpClient(urls['webhook-ingest']!);
  return (turn, signal) =>
    expectStatus(client, { method: 'POST', path, headers, body: { turn, message }, signal }, 202);
}

/** Returns a probe that measures the time from a delivery to the commit of the contact that its run creates. */
function runToEffect({ url, urls, other }: ProbeJob, { path, headers }: TestTrigger): Ask {
  const ingest = new HttpClient(urls['webhook-ingest']!);
  const committed = watchCommits(url, other.orgId);
  return async (_turn, signal) => {
    const email = `${randomUUID()}@healthy.example`;
    await expectStatus(ingest, { method: 'POST', path, headers, body: { email }, signal }, 202);
    return committed(email, signal);
  };
}

/**
 * Returns a probe that measures the time from a question to the first words of the configured model. Each question
 * comes from a random address, like that of a new visitor.
 */
function firstToken({ urls }: ProbeJob, { keys }: Party): Ask {
  const client = new HttpClient(urls['chat-gateway']!);
  return async (_turn, signal) => {
    const body = { messages: [{ role: 'user', parts: [{ type: 'text', text: question }] }] };
    const headers = { 'x-api-key': keys[0]!, 'x-forwarded-for': visitorAddress() };
    const response = await client.open({ method: 'POST', path: '/v1/genie/chat', headers, body, signal });
    let said = '';
    let firstAt: number | undefined;
    for await (const chunk of response.setEncoding('utf8')) {
      said += String(chunk);
      if (firstAt === undefined && said.includes('"type":"text-delta"')) firstAt = performance.now();
    }
    if (response.statusCode !== 200) throw new WrongResponseError(String(response.statusCode));
    const words = [...said.matchAll(/"delta":"([^"]*)"/g)].map(([, delta]) => delta).join('');
    if (!words.includes(modelText)) throw new WrongResponseError('not the configured model');
    return firstAt;
  };
}

function askForDemo({ urls, other }: ProbeJob): Ask {
  const client = new HttpClient(urls['chat-gateway']!);
  return (turn, signal) => {
    const body = { name: 'Healthy Neighbour', work_email: `visitor-${turn}@healthy.example` };
    const headers = { 'x-api-key': other.keys[0]!, 'x-forwarded-for': visitorAddress() };
    return expectStatus(client, { method: 'POST', path: '/v1/genie/demo-request', headers, body, signal }, 200);
  };
}

function lookAtTriggers({ urls, other: { orgId, cookie } }: ProbeJob): Ask {
  const client = new HttpClient(urls['console']!);
  const path = `/console/api/orgs/${orgId}/triggers`;
  return (_turn, signal) => expectStatus(client, { path, headers: { cookie }, signal }, 200);
}

async function expectStatus(client: HttpClient, sent: Sent, expected: number): Promise<void> {
  const { status } = await client.send(sent);
  if (status !== expected) throw new WrongResponseError(String(status));
}

function at<Item>(items: readonly Item[], turn: number): Item {
  return items[turn % items.length]!;
}

export function visitorAddress(): string {
  const byte = () => Math.floor(Math.random() * 254) + 1;
  return `10.${byte()}.${byte()}.${byte()}`;
}
