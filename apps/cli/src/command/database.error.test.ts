import { openDatabase, statement } from '@relata/db';
import { startRefusingPostgres } from '@relata/testing';
import { expect, test } from 'vitest';
import { relata } from '../cli.harness.ts';
import { explainDatabase } from './database.error.ts';

test.each([
  [['orgs', 'list'], 'unsupported startup parameter: statement_timeout'],
  [['migrate'], 'no more connections allowed (max_client_conn)'],
])("the error for %j repeats the server's answer, and does not ask whether it is running", async (args, message) => {
  await using server = await startRefusingPostgres({ code: '08P01', message });
  const { code, stderr } = await relata(args, { env: { DATABASE_URL: server.url, NATS_URL: 'nats://127.0.0.1:1' } });
  expect(code).toBeGreaterThan(0);
  expect(stderr).toContain(`answered: ${message} (08P01).`);
  expect(stderr).not.toMatch(/Is it running|secret/);
});

test("a TLS problem is reported with the server's address, without the password", async () => {
  await using server = await startRefusingPostgres({ code: '08P01', message: 'no TLS here' });
  const url = `${server.url}?sslmode=verify-full`;
  await using database = openDatabase({ url, name: 'test' });
  const error = await database.query(statement('', 'SELECT'), []).catch((thrown: unknown) => thrown);
  expect(explainDatabase(error, url)).toMatchObject({
    code: 'service_unavailable',
    message: expect.stringMatching(/^PostgreSQL at 127\.0\.0\.1:\d+ cannot be used with TLS: There was an error.*SSL/),
  });
});
