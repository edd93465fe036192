import { findCandidate, inviteMember, makeLocalLink, makeSetupLink, redeemLink, signIn } from '@relata/people';
import { operatorActor } from '@relata/events';
import type { Role } from '@relata/schemas/console';
import { type ApiResponse, apiClient, type TestDatabase, until } from '@relata/testing';
import { createOrganization } from '@relata/auth';
import { newId, statement } from '@relata/db';
import { expect } from 'vitest';

export interface ConsoleRequest {
  body?: unknown;
  headers?: Record<string, string | undefined>;
}

/** Acts as a browser: sends requests like a page of the console, with the cookies that it received. */
export class Browser {
  readonly #send: ReturnType<typeof apiClient>;
  readonly #always: Record<string, string>;
  cookie: string | undefined;

  constructor(url: string, cookie?: string, always: Record<string, string> = {}) {
    this.#send = apiClient(url);
    this.cookie = cookie;
    this.#always = always;
  }

  /** Headers with the value undefined are not sent. */
  async send(method: string, path: string, { body, headers = {} }: ConsoleRequest = {}): Promise<ApiResponse> {
    const all = { 'Sec-Fetch-Site': 'same-origin', Cookie: this.cookie, ...this.#always, ...headers };
    const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const response = await this.#send(method, path, { body, headers: Object.fromEntries(given) });
    for (const set of response.headers.getSetCookie()) this.#keep(set.split(';')[0]!);
    return response;
  }

  /** Stores a cookie. Keeps the order in which names were first set; the session's cookie is the first. */
  #keep(pair: string): void {
    const kept = new Map(this.cookie?.split('; ').map((each) => [each.split('=')[0], each]));
    this.cookie = [...kept.set(pair.split('=')[0], pair).values()].join('; ');
  }

  readonly get = (path: string) => this.send('GET', `/console/api${path}`);
  readonly post = (path: string, body?: unknown) => this.send('POST', `/console/api${path}`, { body });
  readonly patch = (path: string, body: unknown) => this.send('PATCH', `/console/api${path}`, { body });
}

let addresses = 0;

/** Creates a browser with its own IP address, for a console behind a proxy. */
export function browserElsewhere(url: string, cookie?: string): Browser {
  addresses++;
  return new Browser(url, cookie, { 'X-Forwarded-For': `203.0.${Math.floor(addresses / 250)}.${addresses % 250}` });
}

const waiting = statement<{ n: number }>(
  'test.waiting',
  `SELECT count(*)::integer AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
);

/** Resolves once exactly `count` database backends wait for a lock. */
export function untilWaiting({ database }: TestDatabase, count: number): Promise<void> {
  return until(async () => expect((await database.query(waiting, []))[0]!.n).toBe(count));
}

const redeeming = {
  client: { ip: '127.0.0.1', userAgent: 'test' },
  maxMs: 86_400_000,
  requestId: 'test',
  currentPersonId: undefined,
};

export const goodPassword = 'correct horse battery';

/** Returns the cookie of a new member of an organization. */
export async function joinAs({ database }: TestDatabase, orgId: string, role: Role, email: string): Promise<string> {
  const actor = operatorActor(orgId, 'test');
  const { link } = await inviteMember({ database }, actor, { email, name: `Test ${role}`, role });
  const given = { token: link.token, name: `Test ${role}`, new_password: goodPassword };
  return `relata_session=${await redeemLink({ database }, given, redeeming)}`;
}

/** Returns an unused e-mail address. */
export const newEmail = () => `p${newId()}@acme.example`;

/** Creates an organization, and the browser of its admin. */
export async function newOrganization(url: string, db: TestDatabase): Promise<{ orgId: string; admin: Browser }> {
  const orgId = (await createOrganization(db.database, 'Acme')).id;
  return { orgId, admin: new Browser(url, await joinAs(db, orgId, 'admin', newEmail())) };
}

/** Returns the cookie of another session of a person. */
export async function signedIn({ database }: TestDatabase, email: string): Promise<string> {
  const { person } = await findCandidate(database, email, redeeming.client.ip);
  const given = { person, password: goodPassword, turn: { isKnown: true, party: email } };
  return `relata_session=${await signIn({ database }, given, redeeming)}`;
}

/** Returns the cookie of an operator of the installation. */
export async function joinAsOperator({ database }: TestDatabase, email = 'root@relata.example'): Promise<string> {
  const { token } = await makeSetupLink({ database });
  const given = { token, email, name: 'Root', new_password: goodPassword };
  return `relata_session=${await redeemLink({ database }, given, redeeming)}`;
}

/** Returns a link as `npm start` creates it. */
export function localLink({ database }: TestDatabase, orgIds: readonly string[]): Promise<{ token: string }> {
  return makeLocalLink({ database }, { email: 'admin@localhost', name: 'Local Admin', orgIds, requestId: 'test' });
}
