import { consolePath, type Today } from '@relata/schemas/console';
import type { LoadRequest } from '@relata/testbed/load';
import type { ConsoleDatabase } from './console-database.ts';

/** The requests of a page, and a check of their responses. */
export interface ConsolePage {
  title: string;
  requests: LoadRequest[];
  check: (body: ConsoleResponse) => boolean;
  /** Path of the floor's equivalent, if it has one. */
  floor?: string;
}

interface ConsoleResponse {
  data: unknown;
  looked_at?: number;
}

/**
 * Returns the measured pages. The requests of a page use many sessions in turn. `deep` has ids of deliveries from the
 * whole table.
 */
export function consolePages(database: ConsoleDatabase, deep: readonly string[]): ConsolePage[] {
  const [org] = database.orgIds;
  const [rare, common] = database.triggerIds;
  const get = (path: string) => database.cookies.map((cookie) => request(cookie, 'GET', `/orgs/${org}${path}`));
  const post = (path: string, bodyOf: (at: number) => unknown) =>
    database.cookies.map((cookie, at) => request(cookie, 'POST', `/orgs/${org}${path}`, bodyOf(at)));
  const where = 'payload.user.email == "nobody@robotics.example"';
  const inputs = { email: 'payload.user.email', name: 'payload.user.name' };
  const mapping = { workflow_id: database.workflowId, inputs, filter: 'payload.score >= 0.0' };
  return [
    {
      title: 'the newest 100 deliveries',
      requests: get(`/deliveries?limit=${listRows}`),
      check: hasRows(100),
      floor: '/list',
    },
    {
      title: '100 deliveries further back',
      requests: database.cookies.map((cookie, at) => {
        const before = deep[at % deep.length]!;
        return request(cookie, 'GET', `/orgs/${org}/deliveries?limit=${listRows}&before=${before}`);
      }),
      check: hasRows(100),
    },
    {
      title: '100 deliveries of a trigger with few',
      requests: get(`/deliveries?limit=${listRows}&trigger=${rare}`),
      check: hasRows(1),
    },
    {
      title: 'deliveries with a failed run',
      requests: get(`/deliveries?limit=${listRows}&outcome=failed`),
      check: hasRows(1),
    },
    {
      title: 'counts of deliveries of a week',
      requests: get(`/deliveries/counts?from=${lastWeek()}`),
      check: hasRows(1),
    },
    { title: 'the newest 100 runs', requests: get(`/runs?limit=${listRows}`), check: hasRows(100) },
    { title: 'the newest 100 failed runs', requests: get(`/runs?limit=${listRows}&status=failed`), check: hasRows(1) },
    { title: 'triggers, with the last delivery of each', requests: get('/triggers'), check: hasRows(100) },
    {
      title: 'a search that finds nothing: 1,000 bodies',
      requests: post('/deliveries/search', () => ({ where })),
      check: ({ looked_at: lookedAt }) => lookedAt === 1_000,
      floor: '/search',
    },
    {
      title: 'the same search, further back',
      requests: post('/deliveries/search', (at) => ({ where, before: deep[at % deep.length]! })),
      check: ({ looked_at: lookedAt }) => lookedAt === 1_000,
    },
    {
      title: 'a preview for the last 20 deliveries',
      requests: post(`/triggers/${common}/preview`, () => mapping),
      check: ({ data }) => (data as { deliveries: unknown[] }).deliveries.length === 20,
      floor: '/preview',
    },
    ...todayPages(get),
    { title: 'refused posts of a trigger', requests: get(`/refusals?trigger=${common}`), check: hasRows(50) },
  ];
}

/** Returns the requests of the page Today, except those for the lists of triggers and workflows. */
function todayPages(get: (path: string) => LoadRequest[]): ConsolePage[] {
  return [
    { title: 'today: its latest runs', requests: get('/runs?limit=10'), check: hasRows(10), floor: '/today' },
    { title: 'today: its counts', requests: get('/today'), check: isToday },
    { title: 'today: its problems', requests: get('/problems'), check: hasRows(1) },
  ];
}

/** Number of rows that a list of the console requests at a time. */
const listRows = 100;

const lastWeek = () => new Date(Date.now() - 7 * 86_400_000).toISOString();

const isToday = ({ data }: ConsoleResponse) => (data as Today).hours.some(({ deliveries }) => deliveries! > 0);

const hasRows =
  (min: number) =>
  ({ data }: ConsoleResponse) =>
    Array.isArray(data) && data.length >= min;

/** Returns a request with the headers that a page of the console sends. */
function request(cookie: string, method: 'GET' | 'POST', path: string, body?: unknown): LoadRequest {
  const headers = { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' };
  return { method, path: `${consolePath}${path}`, headers, ...(body !== undefined && { body }) };
}
