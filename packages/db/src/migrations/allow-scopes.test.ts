import { createTestDatabase } from '@relata/testing';
import { expect, test } from 'vitest';
import { newId } from '../ids.ts';
import { statement } from '../statement.ts';
import { allowScopes } from './allow-scopes.sql.ts';

test('keys can have a scope once a migration permits it, and no other', async () => {
  await using db = await createTestDatabase();
  const orgId = newId();
  const run = (sql: string, values: unknown[]) => db.database.query(statement('', sql), values);
  await run('INSERT INTO organizations (id, name) VALUES ($1, $2)', [orgId, 'Acme']);
  const insertKey = (scope: string) =>
    run(
      `INSERT INTO api_keys (org_id, id, name, kind, prefix, last_four, key_hash, scopes)
       VALUES ($1, $2::uuid, 'test', 'secret', 'sk_', 'aaaa', uuid_send($2::uuid), ARRAY[$3])`,
      [orgId, newId(), scope],
    );
  const refused = { code: '23514' };
  await expect(insertKey('unheard-of:write')).rejects.toMatchObject(refused);
  await db.owner.query(statement('', allowScopes(['records:read', 'unheard-of:write'])), []);
  await insertKey('records:read');
  await insertKey('unheard-of:write');
  await expect(insertKey('chat')).rejects.toMatchObject(refused);
});
