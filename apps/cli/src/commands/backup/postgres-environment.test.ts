import { readFile } from 'node:fs/promises';
import { getCACertificates } from 'node:tls';
import { expect, test } from 'vitest';
import { addressOfDatabase, postgresEnvironment } from './postgres-environment.ts';

async function environmentOf(url: string) {
  await using stack = new AsyncDisposableStack();
  const env = await postgresEnvironment(url, stack);
  const file = env['PGSSLROOTCERT'];
  return { ...env, trusted: file === undefined ? undefined : await readFile(file, 'utf8').catch(() => 'missing') };
}

test('pg_dump gets the parts of the address, decoded, and no variable of the caller that begins with PG (found D1)', async () => {
  process.env['PGOPTIONS'] = '--search_path=other';
  const env = await environmentOf('postgres://re%40lata:a%2Fb%3A@[::1]:5433/my%20db');
  delete process.env['PGOPTIONS'];
  expect(env).toMatchObject({
    PGHOST: '::1',
    PGPORT: '5433',
    PGUSER: 're@lata',
    PGPASSWORD: 'a/b:',
    PGDATABASE: 'my db',
    PGSSLMODE: 'disable',
  });
  expect(env).not.toHaveProperty('PGOPTIONS');
});

test.for(['require', 'verify-ca', 'verify-full', 'prefer'])(
  'pg_dump verifies the server with the CAs of Node, as the apps do, with sslmode=%s (found D1)',
  async (mode) => {
    const env = await environmentOf(`postgres://a:b@host/relata?sslmode=${mode}`);
    expect(env).toMatchObject({ PGSSLMODE: 'verify-full' });
    expect(env.trusted).toBe(getCACertificates('default').join('\n'));
  },
);

test('a file of CAs and a client certificate in the address are passed on (found D1)', async () => {
  const env = await environmentOf(
    'postgres://a:b@host/relata?sslmode=verify-full&sslrootcert=/ca.pem&sslcert=/c.pem&sslkey=/k.pem',
  );
  expect(env).toMatchObject({ PGSSLROOTCERT: '/ca.pem', PGSSLCERT: '/c.pem', PGSSLKEY: '/k.pem' });
});

test('the address of another database keeps server, role and parameters (found D1)', () => {
  expect(addressOfDatabase('postgres://a:b@host:5433/relata?sslmode=verify-full', 'relata_restored')).toBe(
    'postgres://a:b@host:5433/relata_restored?sslmode=verify-full',
  );
});
