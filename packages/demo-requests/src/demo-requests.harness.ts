import type { ServerResponse } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { type Channel, createChannel } from '@relata/channel';
import { type Database, type Db, newId, statement } from '@relata/db';
import { type Actor, operatorActor } from '@relata/events';
import type { DemoRequest as DemoRequestFields } from '@relata/schemas/chat';
import { createTestDatabase, listen, type TestDatabase } from '@relata/testing';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished } from 'vitest';
import { type DemoRequest, findDemoRequest, storeDemoRequest } from './demo-request.sql.ts';
import { type Forwarded, forwardDemoRequest, type ForwardOptions } from './forward-demo-request.ts';

export const respondWith =
  (status: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void =>
    void response.writeHead(status, headers).end('said');

export const silence = (): void => undefined;

/** Starts a server that accepts connections and sends nothing, not even the beginning of TLS. */
export async function muteServer(): Promise<number> {
  const server = createTcpServer(() => undefined);
  onTestFinished(() => void server.close());
  return (await listen(server)).port;
}

/** Returns a port on which no server listens. */
export async function closedPort(): Promise<number> {
  const { port, close } = await listen(createTcpServer());
  await close();
  return port;
}

export const ada: DemoRequestFields = {
  name: 'Ada Lovelace',
  work_email: 'ada@robotics.example',
  company: 'Example Robotics',
  message: 'We would like to see\nthe pipeline view.',
};

const insert = statement<{ id: string }>('', 'INSERT INTO organizations (id, name) VALUES ($1, $2) RETURNING id');

/** Returns an actor who stores requests in an organization. */
export const actorIn = (orgId: string): Actor => operatorActor(orgId, 'test');

export async function makeOrganization(db: Db): Promise<string> {
  const [row] = await db.query(insert, [newId(), 'Acme']);
  return row!.id;
}

/**
 * Creates a database for a test file and a request for each test; returns functions that forward and read the request.
 */
export function setUpRequest() {
  let testDatabase: TestDatabase;
  let orgId: string;
  let current: DemoRequest;
  const db = (): Database => testDatabase.database;
  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    orgId = await makeOrganization(db());
  });
  beforeEach(async () => void (current = await storeDemoRequest(db(), actorIn(orgId), ada)));
  afterAll(() => testDatabase[Symbol.asyncDispose]());
  return {
    db,
    /** The request as it was stored. */
    stored: () => current,
    /** Replaces the request with a new one. */
    replace: async (fields: DemoRequestFields = ada) =>
      void (current = await storeDemoRequest(db(), actorIn(orgId), fields)),
    found: async () => (await findDemoRequest(db(), orgId, current.id))!,
    forward: (channel: Channel | string | undefined, options: Partial<ForwardOptions> = {}): Promise<Forwarded> =>
      forwardDemoRequest({
        db: db(),
        channel:
          typeof channel === 'string' ? createChannel({ url: channel, kind: 'slack', timeoutMs: 60_000 }) : channel,
        request: current,
        // An upper limit, not the expected time: a busy machine can stall for seconds.
        deadlineMs: 60_000,
        onError: (error) => expect.fail(String(error)),
        ...options,
      }),
  };
}
