import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase, statement } from '@relata/db';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openInstallation } from './installation.harness.ts';
import { findPostgresPrograms, neededPrograms } from './postgres-programs.harness.ts';
import { Relata } from './relata.harness.ts';

const programs = findPostgresPrograms();
const timeout = 300_000;

const listExtensions = statement<{ extname: string }>('', 'SELECT extname FROM pg_extension');
const promote = statement<{ pg_promote: boolean }>('', 'SELECT pg_promote()');

describe('relata backup and restore warn', { timeout }, () => {
  const stack = new AsyncDisposableStack();
  let place: Awaited<ReturnType<typeof openInstallation>>;
  let relata: Relata;
  let name: string;

  beforeAll(async () => {
    if (!programs) return;
    place = await openInstallation(stack, programs);
    await place.migrate(place.url);
    relata = new Relata(programs, { owner: place.url, app: place.appUrlOf(place.url) });
    name = new URL(place.url).pathname.slice(1);
  }, timeout);
  beforeEach((context) => context.skip(!programs, neededPrograms));
  afterAll(() => stack.disposeAsync());

  const backUp = async (file: string, env: Record<string, string> = {}) => {
    const { code, stdout, stderr } = await relata.run(['backup', join(place.folder, file), '--json'], env);
    return { code, stderr, made: stdout === '' ? {} : (JSON.parse(stdout) as object) };
  };

  test('a backup names its database, and has no warning if the apps use that database', async () => {
    expect(await backUp('same.dump')).toEqual({
      code: 0,
      stderr: '',
      made: expect.objectContaining({ database: name }),
    });
    const { stdout } = await relata.run(['backup', join(place.folder, 'text.dump')]);
    expect(stdout).toMatch(new RegExp(`database +${name}\n`));
  });

  test('a backup of a database that the apps do not use is made with a warning', async () => {
    const other = await backUp('other.dump', { DATABASE_URL: place.appUrlOf(place.addressOf('postgres')) });
    expect(other).toMatchObject({ code: 0, made: { database: name } });
    expect(other.stderr).toContain(`DATABASE_URL names the database postgres, but this is a backup of ${name}`);
    const nowhere = Object.assign(new URL(place.appUrlOf(place.url)), { port: '9' }).href;
    const unknown = await backUp('unknown.dump', { DATABASE_URL: nowhere });
    expect(unknown).toMatchObject({ code: 0, made: { database: name } });
    expect(unknown.stderr).toContain('DATABASE_URL was not compared with DATABASE_MIGRATION_URL');
  });

  test('a backup of a standby has no warning, but a backup of a copy of the server has one', async () => {
    const copy = join(place.folder, 'copy');
    const words = ['--checkpoint=fast', '--write-recovery-conf'];
    await programs!.run('pg_basebackup', [`--dbname=${place.url}`, `--pgdata=${copy}`, ...words]);
    const DATABASE_MIGRATION_URL = await place.startOn(copy);
    expect(await backUp('standby.dump', { DATABASE_MIGRATION_URL })).toMatchObject({ code: 0, stderr: '' });
    await using database = openDatabase({ url: DATABASE_MIGRATION_URL, name: 'copy', poolMax: 1 });
    expect(await database.query(promote, [])).toEqual([{ pg_promote: true }]);
    const { code, stderr } = await backUp('copy.dump', { DATABASE_MIGRATION_URL });
    expect([code, stderr]).toEqual([0, expect.stringContaining(`the database ${name} of another server`)]);
  });

  test('a backup that this server cannot restore, because pg_dump is too new, is made with a warning', async () => {
    const version = 'if [ "$1" = --version ]; then echo "pg_dump (PostgreSQL) 99.1"; exit; fi';
    const { code, stderr } = await backUp('new.dump', {
      PATH: await relata.pathWith(place.folder, 'pg_dump', version),
    });
    const { major } = programs!;
    const warning = `This backup cannot be restored into PostgreSQL ${major}, only into version 17 or newer`;
    expect([code, stderr.includes(warning)]).toEqual([0, major < 17]);
  });

  test('backup and restore refuse standard output and input as their file', async () => {
    for (const words of [
      ['backup', '-'],
      ['restore', '-', '--into', 'refused'],
    ]) {
      const { code, stderr } = await relata.run(words);
      expect([code, stderr]).toEqual([2, expect.stringContaining('Must be a file, not -.')]);
    }
    expect(existsSync('-')).toBe(false);
  });

  test('a restore skips objects that only a superuser can create, and names them', async () => {
    const extended = await relata.dumpChanged({
      name: 'extended',
      url: await place.copyDatabase('extended'),
      folder: place.folder,
      changes: [
        `CREATE ROLE plain LOGIN CREATEDB CREATEROLE PASSWORD 'plain'`,
        'CREATE EXTENSION citext',
        'CREATE EXTENSION pageinspect',
        // Tables of an extension whose rows are dumped, like the jobs of pg_cron.
        'CREATE TABLE jobs (id int)',
        'INSERT INTO jobs VALUES (1)',
        'ALTER EXTENSION pageinspect ADD TABLE jobs',
        `UPDATE pg_extension SET extconfig = ARRAY['jobs'::regclass::oid], extcondition = '{""}'
       WHERE extname = 'pageinspect'`,
        'CREATE FUNCTION audit() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN END $$',
        'CREATE EVENT TRIGGER audit ON ddl_command_end EXECUTE FUNCTION audit()',
        'CREATE PUBLICATION everything FOR ALL TABLES',
        "CREATE SUBSCRIPTION upstream CONNECTION 'dbname=none' PUBLICATION p WITH (connect = false)",
        'CREATE FOREIGN DATA WRAPPER wrapper',
        'CREATE SERVER legacy FOREIGN DATA WRAPPER wrapper',
        'CREATE USER MAPPING FOR PUBLIC SERVER legacy',
        'CREATE FOREIGN TABLE clients (name text) SERVER legacy',
        'CREATE VIEW names AS SELECT name FROM clients',
      ],
    });
    const DATABASE_MIGRATION_URL = Object.assign(new URL(place.url), { username: 'plain', password: 'plain' }).href;
    const words = ['restore', extended, '--into', 'unextended', '--json'];
    const { code, stdout, stderr } = await relata.run(words, { DATABASE_MIGRATION_URL });
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    const restored = JSON.parse(stdout) as { not_restored: string[] };
    expect(restored.not_restored.toSorted()).toEqual([
      'EVENT TRIGGER audit',
      'EXTENSION pageinspect',
      'FOREIGN DATA WRAPPER wrapper',
      'FOREIGN TABLE public clients',
      'PUBLICATION everything',
      'SERVER legacy',
      'SUBSCRIPTION upstream',
      'TABLE DATA public jobs',
      'VIEW public names',
    ]);
    await using database = openDatabase({ url: place.addressOf('unextended'), name: 'restored', poolMax: 1 });
    expect(await database.query(listExtensions, [])).toContainEqual({ extname: 'citext' });
  });
});
