import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '@relata/testing';
import { expect, test } from 'vitest';
import { LoadProcess } from '@relata/testbed/load-process';
import { despiteStandstill } from '@relata/testbed/standstill';
import type { Party } from '../test-bed/party.ts';
import { felt, type ProbeJob, type ProbeResult } from './probe.ts';

test('failures and stalls before the flood has its effect are reported, but are not in the p99', async () => {
  const stallMs = 600;
  let asked = 0;
  const server = createServer((_request, response) => {
    asked++;
    if (asked === 2) return void setTimeout(() => response.end(), stallMs);
    response.writeHead(asked === 3 ? 503 : 200).end();
  }).listen(0, '127.0.0.1');
  await using _closing = { [Symbol.asyncDispose]: async () => void server.close() };
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const party = { keys: ['key'], accountIds: ['id'] } as unknown as Party;
  await using probe = new LoadProcess<ProbeJob, ProbeResult>(new URL('./probe.worker.ts', import.meta.url));
  const urls = { 'records-api': url };
  const job = { url, urls, other: party, flooder: party, probes: ['get'], durationMs: 100, hasRamp: true } as const;
  await despiteStandstill(async () => {
    asked = 0;
    const measured = probe.run(job);
    await until(() => expect(asked).toBeGreaterThan(12));
    probe.notify(felt);
    const { get } = await measured;
    expect(get!.failures).toEqual({ 503: 1 });
    expect(get!.longestMs).toBeGreaterThanOrEqual(stallMs);
    expect(get!.p99Ms).toBeLessThan(stallMs);
    expect(get!.count).toBeLessThan(get!.asked - 10);
    expect(get!.count).toBeGreaterThan(3);
  });
});
