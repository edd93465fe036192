import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { HttpClient } from '@relata/testbed/http-client';
import { type LoadJob, type LoadRequest, unique } from '@relata/testbed/load';

export type WorkloadName = 'get' | 'page' | 'pages' | 'patch' | 'post' | 'mixed' | WriteName;

/** Ways to write, and to follow writes, that the floor does not have. */
export type WriteName = 'keyed' | 'upsert_new' | 'upsert_known' | 'batch' | 'upsert_batch' | 'feed';

/** A kind of request, and a check of its responses. */
export interface Workload {
  name: WorkloadName;
  title: string;
  requests: LoadRequest[];
  status: number;
  /** True if rows are written, so that the tables are cleaned up after a round. */
  writes: boolean;
  check: (body: RecordsResponse, request: LoadRequest) => boolean;
}

interface RecordsResponse {
  data: Record<string, unknown> & Record<string, unknown>[];
  total?: number;
}

const path = '/v1/records/accounts';
const statuses = ['lead', 'working', 'pipeline', 'renewal_growth', 'closed_lost', 'churned'];

/** Realistic values of most fields of an account. */
const created = {
  account_name: 'Example Robotics AG',
  domain: 'robotics.example',
  linkedin_url: 'https://www.linkedin.com/company/example-robotics',
  address: 'Bahnhofstrasse 1',
  city: 'Zürich',
  state: 'ZH',
  country: 'Switzerland',
  relationship_type: 'prospect',
  sales_status: 'lead',
  icp_label: 'tier 1',
  tags: ['inbound', 'robotics'],
};

export function getAccount(ids: string[]): Workload {
  return {
    name: 'get',
    title: 'GET by id',
    requests: ids.map((id) => ({ method: 'GET', path: `${path}/${id}` })),
    status: 200,
    writes: false,
    check: ({ data }, request) => request.path.endsWith(String(data['id'])) && data['city'] === 'Zurich',
  };
}

/** Returns a workload that reads a page of 25 with the total, which must equal `total`. */
export function listAccounts(total: number, offset = 0): Workload {
  return {
    name: 'page',
    title: offset === 0 ? 'first page of 25 with total' : `page at offset ${offset.toLocaleString('en-US')}`,
    requests: [{ method: 'GET', path: offset === 0 ? path : `${path}?offset=${offset}` }],
    status: 200,
    writes: false,
    check: (body) => body.total === total && body.data.length === 25,
  };
}

/** Returns a workload that reads different pages, so that concurrent requests rarely share a read. */
export function listDifferentAccounts(total: number): Workload {
  return {
    name: 'pages',
    title: 'different pages of 25 with total',
    requests: Array.from({ length: total - 25 }, (_, i) => ({ method: 'GET', path: `${path}?offset=${i + 1}` })),
    status: 200,
    writes: false,
    check: (body) => body.total === total && body.data.length === 25,
  };
}

export function createAccount(): Workload {
  return {
    name: 'post',
    title: 'POST',
    requests: [{ method: 'POST', path, body: created }],
    status: 201,
    writes: true,
    check: ({ data }) => Object.entries(created).every(([name, value]) => isDeepStrictEqual(data[name], value)),
  };
}

/**
 * Returns a workload that changes two fields of an account. One account in six already has the new status. A change of
 * `sales_status` makes PostgreSQL write to all indexes of the table. Without `hasIndex` it writes to none.
 */
export function updateAccount(ids: string[], { hasIndex }: { hasIndex: boolean } = { hasIndex: true }): Workload {
  const bodies = statuses.map((status) => ({
    ...(hasIndex ? { sales_status: status } : { state: status }),
    icp_label: `tier ${unique}`,
  }));
  return {
    name: 'patch',
    title: hasIndex ? 'PATCH of two fields, one with an index' : 'PATCH of two fields without an index',
    requests: bodies.flatMap((body) => ids.map((id) => ({ method: 'PATCH', path: `${path}/${id}`, body }))),
    status: 200,
    writes: true,
    check: ({ data }) => String(data['icp_label']).startsWith('tier ') && data['city'] === 'Zurich',
  };
}

/** Returns a workload in which eight of ten requests are reads, one is an update and one is a create. */
export function mixedLoad(ids: string[]): Workload {
  const patches = updateAccount(ids).requests;
  const [create] = createAccount().requests;
  const requests = getAccount(ids).requests.map((get, i) => {
    if (i % 10 === 0) return patches[i]!;
    return i % 10 === 1 ? { ...create!, status: 201 } : get;
  });
  const title = 'mixed: 80 % GET, 10 % PATCH, 10 % POST';
  return { name: 'mixed', title, requests, status: 200, writes: true, check: ({ data }) => 'account_name' in data };
}

const { domain: _domain, ...others } = created;
// Upserts that share a value wait for each other, so these share none.
const newOne = { match: { domain: `${unique}.example` }, set: { ...others, account_name: `Robotics ${unique}` } };
const batchItems = 500;

type Sent = Omit<LoadRequest, 'method'>;

function writing(name: WriteName, title: string, status: number, ...sent: Sent[]): Workload {
  const check = ({ data }: RecordsResponse) =>
    Array.isArray(data) ? data.length === batchItems : 'account_name' in data;
  const requests = sent.map((request) => ({ method: 'POST', ...request }) as const);
  return { name, title, requests, status, writes: true, check };
}

/** Returns an upsert that changes the existing account with this number. */
const upsertKnown = (i: number): Sent => ({
  path: `${path}/upsert`,
  body: { match: { domain: `robotics-${i}.example` }, set: { icp_label: unique } },
});

const batchOf = (operation: string, item: unknown) => ({
  path: `${path}/batch`,
  body: { operation, items: Array.from({ length: batchItems }, () => item) },
});

/** Single writes and batches, with an idempotency key or a match. */
export const writeWorkloads: Record<Exclude<WriteName, 'feed'>, Workload> = {
  keyed: writing('keyed', 'POST with an Idempotency-Key', 201, {
    path,
    body: created,
    headers: { 'Idempotency-Key': `bench-${unique}` },
  }),
  upsert_new: writing('upsert_new', 'upsert of a new domain', 201, { path: `${path}/upsert`, body: newOne }),
  upsert_known: writing(
    'upsert_known',
    'upsert that changes one field',
    200,
    ...Array.from({ length: 5_000 }, (_, i) => upsertKnown(i + 1_001)),
  ),
  batch: writing('batch', `batch of ${batchItems} creates`, 200, batchOf('create', created)),
  upsert_batch: writing(
    'upsert_batch',
    `batch of ${batchItems} upserts of new domains`,
    200,
    batchOf('upsert', newOne),
  ),
};

/** Returns a workload that reads the hundred events after a cursor. */
export function followEvents(cursors: readonly string[]): Workload {
  return {
    name: 'feed',
    title: '100 events after a cursor',
    requests: cursors.map((after) => ({ method: 'GET', path: `/v1/events?limit=100&after=${after}` })),
    status: 200,
    writes: false,
    check: ({ data }) => data.length === 100,
  };
}

/** Address, headers, connections and durations of a load. */
export type LoadSize = Pick<LoadJob, 'url' | 'headers' | 'connections' | 'warmUpMs' | 'durationMs'>;

export function loadOf({ requests, status }: Workload, size: LoadSize): LoadJob {
  return { ...size, requests, status };
}

/** Sends one request with an ordinary client and checks its whole response. The load process checks only the status. */
export async function verify(
  { title, requests, status: usual, check }: Workload,
  { url, headers }: LoadSize,
): Promise<void> {
  const request = requests[Math.floor(Math.random() * requests.length)]!;
  const { method, body, headers: own, status = usual } = request;
  const unlike = (text: string) => text.replaceAll(unique, () => randomBytes(unique.length / 2).toString('hex'));
  const named = Object.fromEntries(Object.entries(own ?? {}).map(([name, value]) => [name, unlike(value)]));
  using client = new HttpClient(url);
  const response = await client.send({
    method,
    path: request.path,
    headers: { ...headers, ...named },
    body: body && Buffer.from(unlike(JSON.stringify(body))),
  });
  const { text } = response;
  if (response.status === status && check(JSON.parse(text) as RecordsResponse, request)) return;
  throw new Error(`${title} at ${url} was answered wrongly: ${response.status} ${text.slice(0, 500)}`);
}
