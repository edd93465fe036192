import { readFile } from 'node:fs/promises';
import { createLog } from '@relata/runtime';
import { startRefusingPostgres, until } from '@relata/testing';
import { expect, test } from 'vitest';
import { openDatabase } from './database.ts';
import { awaitSchema } from '../migrate/schema-version.ts';

const manual = await readFile(new URL('../../../../infra/images/README.md', import.meta.url), 'utf8');
const refusal = { code: '08P01', message: 'unsupported startup parameter: statement_timeout' };

test('an app that waits for a pooler logs the parameter that the pooler refuses', async () => {
  await using server = await startRefusingPostgres(refusal);
  await using database = openDatabase({ url: server.url, name: 'test' });
  const lines: string[] = [];
  using log = createLog({
    name: 'test',
    level: 'info',
    destination: { write: (line: string) => void lines.push(line) },
  });
  const stop = new AbortController();
  const waiting = awaitSchema(database, { log, signal: stop.signal });
  await until(() => expect(lines.join()).toContain('"msg":"waiting for PostgreSQL, which says: unsupported startup'));
  expect(lines.join()).not.toContain('secret');
  stop.abort();
  await expect(waiting).rejects.toThrow(/abort/);
});

/** Parameters that PgBouncer forwards to the server without configuration. */
const passedOn = new Set(['user', 'database', 'application_name', 'client_encoding']);

test('PgBouncer ignores every parameter of a connection that the manual sets for the role instead', async () => {
  await using server = await startRefusingPostgres(refusal);
  await using database = openDatabase({ url: server.url, name: 'test' });
  await expect(database.transaction(() => Promise.resolve())).rejects.toThrow(refusal.message);
  const { options, ...others } = server.startup;
  const asked = Object.keys(others).filter((name) => !passedOn.has(name));
  expect(asked).not.toEqual([]);
  const [, ignored] = /^ignore_startup_parameters = (.*)$/m.exec(manual)!;
  expect(ignored!.split(',')).toEqual(expect.arrayContaining(['options', ...asked]));
  const values = [...options!.matchAll(/-c (\w+)=(\S+)/g)].map(([, name, value]) => `${name} = '${value}'`);
  expect(values.length).toBeGreaterThan(3);
  for (const setting of values) expect(manual).toContain(`SET ${setting};`);
  for (const name of asked) expect(manual).toContain(`SET ${name} = '${others[name]}ms';`);
});
