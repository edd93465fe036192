import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { type Db, newId, statement } from '@relata/db';
import { type Actor, operatorIn } from '@relata/events';
import type { DemoRequest as DemoRequestFields } from '@relata/schemas';
import { onTestFinished } from 'vitest';

export const answer =
  (status: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void =>
    void response.writeHead(status, headers).end('said');

export const silence = (): void => undefined;

/** Takes connections and says nothing, not even what TLS begins with. */
export async function muteServer(): Promise<number> {
  const server = createTcpServer(() => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A port that nobody listens at. */
export async function closedPort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

export const ada: DemoRequestFields = {
  name: 'Ada Lovelace',
  work_email: 'ada@robotics.example',
  company: 'Example Robotics',
  message: 'We would like to see\nthe pipeline view.',
};

const insert = statement<{ id: string }>('', 'INSERT INTO organizations (id, name) VALUES ($1, $2) RETURNING id');

/** Someone who stores requests in an organization. */
export const actorIn = (orgId: string): Actor => operatorIn(orgId, 'test');

export async function makeOrganization(db: Db): Promise<string> {
  const [row] = await db.query(insert, [newId(), 'Acme']);
  return row!.id;
}
