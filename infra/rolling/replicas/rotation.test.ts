import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '@relata/testbed/until';
import { expectWithin } from '@relata/testing';
import { afterEach, expect, test } from 'vitest';
import { Rotation } from './rotation.ts';

const drainMs = 2_000;
const server = createServer((_request, response) => void response.writeHead(status).end());
let status = 200;
afterEach(() => server.close().closeAllConnections());

test('a replica that is not ready stops getting requests well before the end of its drain', async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const replica = { name: 'replica', url, ending: () => undefined };
  using rotation = new Rotation(drainMs);
  await rotation.add(replica);
  await expectWithin(drainMs / 2, async () => {
    status = 200;
    await until('it is ready', () => rotation.url === url);
    status = 503;
    const stoppedAt = performance.now();
    await until('it is not', () => rotation.url !== url);
    return performance.now() - stoppedAt;
  });
  expect(rotation.probed.get(replica)!.slice(0, 2)).toEqual([200, 503]);
});
