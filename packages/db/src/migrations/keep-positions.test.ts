import { createTestDatabase } from '@relata/testing';
import { expect, test } from 'vitest';
import { newId } from '../ids.ts';
import { statement } from '../statement.ts';
import { keepPositions } from './keep-positions.sql.ts';

test('maintains the total of a table from a later migration, separately for each organization', async () => {
  await using db = await createTestDatabase();
  const asOwner = (sql: string) => db.owner.query(statement('', sql), []);
  await asOwner('CREATE TABLE totalled (org_id uuid NOT NULL, id uuid NOT NULL, PRIMARY KEY (org_id, id))');
  for (const trigger of keepPositions('totalled').split(/(?<=;)/)) await asOwner(trigger);
  const run = <Row>(sql: string, values: unknown[]) => db.database.query(statement<Row>('', sql), values);
  const addOrganization = async () => {
    const id = newId();
    await run('INSERT INTO organizations (id, name) VALUES ($1, $2)', [id, 'Acme']);
    return id;
  };
  const insert = (orgId: string, count: number) =>
    run('INSERT INTO totalled (org_id, id) SELECT $1, gen_random_uuid() FROM generate_series(1, $2)', [orgId, count]);
  const totalOf = async (orgId: string) => {
    const sql = `SELECT sum(n)::int AS total FROM record_counts WHERE org_id = $1 AND resource = 'totalled'`;
    return (await run<{ total: number }>(sql, [orgId]))[0]!.total;
  };
  const [ours, theirs] = [await addOrganization(), await addOrganization()];
  await insert(ours, 5);
  await insert(theirs, 2);
  await run('DELETE FROM totalled WHERE id IN (SELECT id FROM totalled WHERE org_id = $1 LIMIT 3)', [ours]);
  expect([await totalOf(ours), await totalOf(theirs)]).toEqual([2, 2]);
});

test('every table with a total has exactly the triggers that maintain it', async () => {
  await using db = await createTestDatabase();
  const triggers = statement<{ table: string; text: string }>(
    '',
    `SELECT relname AS table, string_agg(replace(pg_get_triggerdef(t.oid), 'public.', ''), ' ' ORDER BY tgname DESC) AS text
     FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid
     WHERE tgfoid = 'keep_positions'::regproc GROUP BY relname`,
  );
  const words = (sql: string) => sql.replaceAll(/[\s;]+/g, ' ').trim();
  const kept = await db.database.query(triggers, []);
  expect(kept.length).toBeGreaterThanOrEqual(7);
  for (const { table, text } of kept) expect(words(text)).toBe(words(keepPositions(table)));
});
