import { readFile } from 'node:fs/promises';
import { getCACertificates } from 'node:tls';
import { expect, test } from 'vitest';
import { addressOfDatabase, postgresEnvironment, writeTemporaryFile } from './postgres-environment.ts';

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

test.for(['sslmode=verify-full&', ''])(
  'a file of CAs and a client certificate in the address are passed on, also with "%s" before them (found D1)',
  async (mode) => {
    await using stack = new AsyncDisposableStack();
    const [ca, certificate, key] = await Promise.all(
      ['ca.pem', 'c.pem', 'k.pem'].map((name) => writeTemporaryFile(name, name, stack)),
    );
    const url = `postgres://a:b@host/relata?${mode}sslrootcert=${ca}&sslcert=${certificate}&sslkey=${key}`;
    const files = { PGSSLROOTCERT: ca, PGSSLCERT: certificate, PGSSLKEY: key };
    expect(await environmentOf(url)).toMatchObject({ PGSSLMODE: 'verify-full', ...files });
  },
);

test.for([
  ['ssl=1', 'verify-full'],
  ['ssl=true', 'verify-full'],
  ['sslmode=no-verify', 'require'],
  ['ssl=no-verify', 'require'],
  ['uselibpqcompat=true&sslmode=require', 'require'],
  ['sslmode=disable', 'disable'],
  ['ssl=0', 'disable'],
  ['', 'disable'],
])('pg_dump uses TLS when the apps do: %s', async ([words, mode]) => {
  expect(await environmentOf(`postgres://a:b@host/relata?${words}`)).toMatchObject({ PGSSLMODE: mode });
});

test.for([
  ['postgres://a:b@%2Frun%2Fpostgresql/relata', '/run/postgresql', '5432'],
  ['postgres://a:b@localhost/relata?host=/run/postgresql&port=5433', '/run/postgresql', '5433'],
  ['postgres://a:b@localhost/relata?host=db.example&port=5433', 'db.example', '5433'],
])('pg_dump connects to the server that the apps connect to: %s', async ([url, host, port]) => {
  expect(await environmentOf(url!)).toMatchObject({
    PGHOST: host,
    PGPORT: port,
    PGUSER: 'a',
    PGPASSWORD: 'b',
    PGDATABASE: 'relata',
  });
});

test('the address of another database keeps server, role and parameters (found D1)', () => {
  expect(addressOfDatabase('postgres://a:b@host:5433/relata?sslmode=verify-full', 'relata_restored')).toBe(
    'postgres://a:b@host:5433/relata_restored?sslmode=verify-full',
  );
  expect(addressOfDatabase('postgres://a:b@%2Frun%2Fpostgresql/relata', 'relata_restored')).toBe(
    'postgres://a:b@%2Frun%2Fpostgresql/relata_restored',
  );
});
