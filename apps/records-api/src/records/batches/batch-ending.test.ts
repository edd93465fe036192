import { request } from 'node:http';
import { statement } from '@relata/db';
import { until } from '@relata/testing';
import { expect, test } from 'vitest';
import { startTestApi } from '../../records-api.harness.ts';

const lock = statement<never>('test.lock_account', 'SELECT FROM accounts WHERE id = $1 FOR UPDATE');
const waiting = statement<{ n: number }>(
  'test.waiting',
  `SELECT count(*)::integer AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
);

test('a batch begins nothing more once its sender has left (found A7)', async () => {
  const logLines: string[] = [];
  await using api = await startTestApi({ logLines });
  const { tenant, db } = api;
  const items = Array.from({ length: 300 }, (_, at) => ({ account_name: `Left ${at}` }));
  const made = await tenant.client('POST', '/v1/records/accounts/batch', { body: { operation: 'create', items } });
  const ids = made.body.data.map(({ data }: { data: { id: string } }) => data.id) as string[];
  await db.owner.transaction(async (other) => {
    await other.query(lock, [ids[0]]);
    const headers = { 'X-Api-Key': tenant.key, 'Content-Type': 'application/json' };
    const sent = request(`${api.url}/v1/records/accounts/batch`, { method: 'POST', headers });
    sent.on('error', () => {});
    sent.end(JSON.stringify({ operation: 'update', items: ids.map((id) => ({ id, set: { city: 'Bern' } })) }));
    await until(async () => expect((await db.database.query(waiting, []))[0]!.n).toBeGreaterThan(0));
    sent.destroy();
    await until(() => expect(logLines.some((line) => line.includes('"aborted":true'))).toBe(true));
  });
  const cityOf = async (at: number) =>
    (await tenant.client('GET', `/v1/records/accounts/${ids[at]}`)).body.data.city as string | undefined;
  // What had begun is done.
  await until(async () => expect(await cityOf(0)).toBe('Bern'));
  expect([await cityOf(150), await cityOf(299)]).toEqual([undefined, undefined]);
});
