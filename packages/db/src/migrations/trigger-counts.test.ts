import { createTestDatabase } from '@relata/testing';
import { expect, test } from 'vitest';
import { firstIdAt, newId } from '../ids.ts';
import { statement } from '../statement.ts';
import { startCounting } from './trigger-counts.sql.ts';

const hourMs = 3_600_000;

test('counting begins with the next full hour after now and after the newest row, or with 1970 if the table is empty', async () => {
  await using db = await createTestDatabase();
  const asOwner = <Row>(sql: string, values: unknown[] = []) => db.owner.query(statement<Row>('', sql), values);
  const [orgId, triggerId] = [newId(), newId()];
  await asOwner('INSERT INTO organizations (id, name) VALUES ($1, $2)', [orgId, 'Acme']);
  await asOwner('INSERT INTO webhook_triggers (org_id, id, name) VALUES ($1, $2, $3)', [orgId, triggerId, 'Form']);
  const insertAt = (ms: number) =>
    asOwner(`INSERT INTO webhook_deliveries (org_id, id, trigger_id, body, headers) VALUES ($1, $2, $3, '', '{}')`, [
      orgId,
      firstIdAt(ms).slice(0, 18) + newId().slice(18),
      triggerId,
    ]);
  const restart = async () => {
    for (const kept of ['inserted', 'deleted']) await asOwner(`DROP TRIGGER keep_${kept}_counts ON webhook_deliveries`);
    await asOwner(`DELETE FROM trigger_count_starts WHERE kind = 'deliveries'`);
    for (const sql of startCounting('deliveries', 'webhook_deliveries').split(/(?<=;)/)) await asOwner(sql);
    const start = `SELECT minute * 60000 AS at FROM trigger_count_starts WHERE kind = 'deliveries'`;
    return (await asOwner<{ at: number }>(start))[0]!.at;
  };
  const nextHour = (ms: number) => (Math.floor(ms / hourMs) + 1) * hourMs;
  const kept = async () =>
    (await asOwner<{ n: number }>('SELECT coalesce(sum(n), 0)::integer AS n FROM trigger_minutes'))[0]!.n;

  expect(await restart()).toBe(0);
  await insertAt(Date.now() - 50 * hourMs);
  expect(await kept()).toBe(1);
  await asOwner('DELETE FROM trigger_minutes');
  const before = Date.now();
  const first = await restart();
  // The hour may end while the statements run.
  expect([nextHour(before), nextHour(Date.now())]).toContain(first);
  // The time of a clock that runs ahead.
  const ahead = Date.now() + 5 * hourMs;
  await insertAt(ahead);
  await asOwner('DELETE FROM trigger_minutes');
  const start = await restart();
  expect(start).toBe(nextHour(ahead));
  await insertAt(start - 1);
  await insertAt(start);
  expect(await kept()).toBe(1);
  await asOwner('DELETE FROM webhook_deliveries WHERE id < $1', [firstIdAt(start)]);
  expect(await kept()).toBe(1);
});
