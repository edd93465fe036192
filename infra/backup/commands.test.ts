import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, readdir, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Database, openDatabase, statement } from '@relata/db';
import { migrateDatabase } from '@relata/db/migrate';
import { readIndexStates } from '@relata/records';
import { migrations } from '@relata/db/migrations';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openInstallation, prepareOrganization } from './installation.harness.ts';
import { Load } from './load.harness.ts';
import { findPostgresPrograms, neededPrograms } from './postgres-programs.harness.ts';
import { Relata } from './relata.harness.ts';

const programs = findPostgresPrograms();
const timeout = 300_000;

const listDatabases = statement<{ datname: string }>('', 'SELECT datname FROM pg_database ORDER BY datname');
const readSequence = statement<{ seq: string }>('', 'SELECT last_value AS seq FROM event_seq');

const readEveryone = statement<{ executes: boolean }>(
  '',
  `SELECT has_function_privilege('public', 'analyze_table(text)', 'EXECUTE') AS executes`,
);

const countAll = statement<{ n: number }>('', 'SELECT count(*)::int AS n FROM accounts');

interface Restored {
  database: string;
  accounts: number;
  organizations: number;
  newest_event: string;
}

describe('relata backup and restore', { timeout }, () => {
  const stack = new AsyncDisposableStack();
  let place: Awaited<ReturnType<typeof openInstallation>>;
  let relata: Relata;
  let load: Load;
  let server: Database;
  let dump: string;

  beforeAll(async () => {
    if (!programs) return;
    place = await openInstallation(stack, programs);
    await place.migrate(place.url);
    load = new Load(await prepareOrganization(place.url, place.outside.url));
    relata = new Relata(programs, { owner: place.url, app: place.appUrlOf(place.url) });
    server = stack.use(openDatabase({ url: place.addressOf('postgres'), name: 'backup', poolMax: 1 }));
    await using apps = new AsyncDisposableStack();
    const addresses = await place.startApps(apps, place.url, { worker: false });
    for (const name of ['c-1', 'c-2', 'c-3'])
      if ((await load.create(addresses, name)).status !== 201) throw new Error(`${name} was not created.`);
    dump = join(place.folder, 'first.dump');
    await relata.json('backup', dump);
  }, timeout);
  beforeEach((context) => context.skip(!programs, neededPrograms));
  afterAll(() => stack.disposeAsync());

  const startHanging = async (name: string) => {
    const child = await relata.startHangingRestore(dump, name, place.folder);
    stack.defer(() => void child.kill('SIGKILL'));
    return child;
  };

  const databases = async () => (await server.query(listDatabases, [])).map(({ datname }) => datname);

  test('a restored backup has all records and rights, so that the apps run on it at once (found D1)', async () => {
    const restored = await relata.json<Restored>('restore', dump, '--into', 'restored');
    expect(restored).toMatchObject({ database: 'restored', accounts: 3, organizations: 1 });
    expect(Date.parse(restored.newest_event)).toBeGreaterThan(Date.now() - timeout);
    const url = place.addressOf('restored');
    await using apps = new AsyncDisposableStack();
    const addresses = await place.startApps(apps, url, { worker: false });
    expect(await load.total(addresses)).toBe(3);
    expect((await load.create(addresses, 'c-4')).status).toBe(201);
    await using database = openDatabase({ url, name: 'restored', poolMax: 1 });
    expect(Number((await database.query(readSequence, []))[0]!.seq)).toBeGreaterThan(1_000_000_000);
    expect(await missingIndexes('restored')).toEqual([]);
  });

  test('only its owner can read a backup, and a backup never replaces an existing file (found D1)', async () => {
    expect((await stat(dump)).mode & 0o777).toBe(0o600);
    const before = await readFile(dump);
    const again = await relata.run(['backup', dump]);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('exists already')]);
    expect(before.equals(await readFile(dump))).toBe(true);
    await writeFile(join(place.folder, 'killed.dump.part'), '');
    const killed = await relata.run(['backup', join(place.folder, 'killed.dump')]);
    expect([killed.code, killed.stderr]).toEqual([
      1,
      expect.stringContaining('or was killed. If no backup is running, delete it'),
    ]);
    await rm(join(place.folder, 'killed.dump.part'));
  });

  const damaged: Record<string, (file: string) => Promise<string>> = {
    'is cut off': async (file) => {
      await copyFile(dump, file);
      await truncate(file, (await stat(dump)).size - 200);
      return 'pg_restore failed';
    },
    'is text': async (file) => {
      await writeFile(file, 'SELECT 1;\n');
      return 'pg_restore failed';
    },
    'is of another database': async (file) => {
      await programs!.run('pg_dump', ['--format=custom', `--file=${file}`, await place.createDatabase('other')]);
      return 'it contains no Relata migrations';
    },
    'does not exist': () => Promise.resolve('There is no file'),
  };

  test.for(Object.entries(damaged))(
    'a file that %s is refused before a database is created (found D1)',
    async ([name, make]) => {
      const file = join(place.folder, `${name.replaceAll(' ', '-')}.dump`);
      const said = await make(file);
      const before = await databases();
      const { code, stdout, stderr } = await relata.run(['restore', file, '--into', 'refused']);
      expect([code === 0, stderr]).toEqual([false, expect.stringContaining(said)]);
      expect(stdout).not.toContain('Restoring into');
      expect(await databases()).toEqual(before);
    },
  );

  test('a restore into an existing database is refused, also into the current one (found D1)', async () => {
    const present = new URL(place.url).pathname.slice(1);
    for (const name of [present, 'postgres', 'template1']) {
      const { code, stderr } = await relata.run(['restore', dump, '--into', name]);
      expect([code, stderr]).toEqual([1, expect.stringContaining(`The database ${name} exists already.`)]);
    }
  });

  test('a restore that fails or is stopped removes its database, so that it can be repeated (found D1)', async () => {
    const before = await databases();
    const PATH = await relata.pathWithRestore(place.folder, 'echo "No space left on device" >&2; exit 1');
    const failed = await relata.run(['restore', dump, '--into', 'failing'], { PATH });
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining('Free space on the disk')]);
    const stopped = await startHanging('failing');
    stopped.kill('SIGTERM');
    expect(await once(stopped, 'exit')).toEqual([1, null]);
    expect(await databases()).toEqual(before);
  });

  test('after a killed restore, the next one shows the command that removes its database (found D1)', async () => {
    const killed = await startHanging('user');
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    const next = await relata.run(['restore', dump, '--into', 'user']);
    expect([next.code, next.stderr]).toEqual([1, expect.stringContaining('left over from an unfinished restore')]);
    await server.query(statement('', /DROP DATABASE "user"/.exec(next.stderr)![0]), []);
    expect(await databases()).not.toContain('user');
  });

  test('a restore prints the settings to change, also if the name is a reserved word of SQL (found D1)', async () => {
    const { code, stdout } = await relata.run(['restore', dump, '--into', 'user']);
    expect(code).toBe(0);
    expect(stdout).toContain('Set POSTGRES_DB=user in .env.');
    expect(stdout).toContain('set the database name in DATABASE_URL and DATABASE_MIGRATION_URL to user');
    expect(stdout).toContain('set dbName in the secret relata-keda to user');
  });

  test('no other role can analyze tables of a restored database, even without a role of the apps', async () => {
    const everyone = async (name: string) => {
      await using database = openDatabase({ url: place.addressOf(name), name: 'restored', poolMax: 1 });
      return (await database.query(readEveryone, []))[0]!.executes;
    };
    const present = new URL(place.url).pathname.slice(1);
    const DATABASE_URL = place.url;
    const alone = await relata.run(['restore', dump, '--into', 'owned'], { DATABASE_URL, DATABASE_MIGRATION_URL: '' });
    expect(alone).toMatchObject({ code: 0, stderr: '' });
    expect(await Promise.all([present, 'user', 'owned'].map(everyone))).toEqual([false, false, false]);
  });

  test('if the database of a failed restore cannot be removed, the error still has the cause (found D1)', async () => {
    const keep = 'psql --quiet --command="ALTER DATABASE kept IS_TEMPLATE true"';
    const PATH = await relata.pathWithRestore(place.folder, `${keep}; echo "is damaged" >&2; exit 1`);
    const failed = await relata.run(['restore', dump, '--into', 'kept'], { PATH });
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining('pg_restore failed: is damaged')]);
    expect(failed.stderr).toContain('The database kept could not be removed: cannot drop a template database');
    await server.query(statement('', 'ALTER DATABASE kept IS_TEMPLATE false'), []);
    await server.query(statement('', 'DROP DATABASE kept'), []);
  });

  test('a restored database whose check fails is not called unfinished, as it may be in use (found D1)', async () => {
    const wrong = await changedDump('wrong', ["UPDATE record_counts SET n = n + 1 WHERE resource = 'accounts'"]);
    const failed = await relata.run(['restore', wrong, '--into', 'unchecked']);
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining('has all data of')]);
    const next = await relata.run(['restore', dump, '--into', 'unchecked']);
    expect(next.stderr).toContain('The database unchecked exists already. Restore into a new one.');
  });

  test('a restore skips privileges of roles that the server lacks, and names the roles (found D1)', async () => {
    await server.query(statement('', 'CREATE ROLE reporter'), []);
    const granted = await changedDump('granted', ['GRANT SELECT ON accounts TO reporter']);
    await server.query(statement('', 'DROP DATABASE granted'), []);
    await server.query(statement('', 'DROP ROLE reporter'), []);
    const { code, stdout } = await relata.run(['restore', granted, '--into', 'regranted']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('Grant them again if needed: reporter')]);
    expect(await countAccounts('regranted')).toBe(3);
  });

  const last = migrations.at(-1)!.name;
  const newerBy = (oldest: string) => [
    "INSERT INTO schema_migrations (name, batch, migration_time) VALUES ('999-next', 99, now())",
    `UPDATE schema_compatibility SET oldest = '${oldest}'`,
  ];

  test('a dump of a newer, compatible release is restored with the privileges of the apps (found D1)', async () => {
    const newer = await changedDump('newer', newerBy(last));
    const restored = await relata.json<Restored>('restore', newer, '--into', 'renewed');
    expect(restored).toMatchObject({ schema: '999-next', migrated: [], accounts: 3 });
    expect(await countAccounts('renewed')).toBe(3);
  });

  test('a dump of a newer, incompatible release is refused before a database is created (found D1)', async () => {
    const excluding = await changedDump('excluding', newerBy('999-next'));
    const { code, stderr } = await relata.run(['restore', excluding, '--into', 'refused']);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('Only releases that include migration 999-next run on it'),
    ]);
    expect(await databases()).not.toContain('refused');
  });

  test('a dump of an older release is migrated to this release (found D1)', async () => {
    await migrateDatabase({ url: await place.createDatabase('older') }, migrations.slice(0, -1));
    const older = join(place.folder, 'older.dump');
    await programs!.run('pg_dump', ['--format=custom', `--file=${older}`, place.addressOf('older')]);
    const restored = await relata.json<Restored>('restore', older, '--into', 'upgraded');
    expect(restored).toMatchObject({ schema: last, migrated: [last], newest_event: null });
    expect(await countAccounts('upgraded')).toBe(0);
    expect(await missingIndexes('upgraded')).toEqual([]);
  });

  /** Returns the names of indexes of lists that a database lacks. */
  async function missingIndexes(name: string): Promise<string[]> {
    await using database = openDatabase({ url: place.addressOf(name), name: 'restored', poolMax: 1 });
    const states = await readIndexStates(database);
    return states.flatMap((each) => (each.isDefault && each.state !== 'ready' ? [each.name] : []));
  }

  /** Changes a copy of the current database, and returns the path of a dump of the copy. */
  const changedDump = async (name: string, changes: readonly string[]) =>
    relata.dumpChanged({ name, changes, url: await place.copyDatabase(name), folder: place.folder });

  /** Returns the number of accounts in a database, read with the role of the apps. */
  async function countAccounts(name: string): Promise<number> {
    await using database = openDatabase({ url: place.appUrlOf(place.addressOf(name)), name: 'apps', poolMax: 1 });
    return (await database.query(countAll, []))[0]!.n;
  }

  test('a failed backup leaves no file, and does not show the password (found D1)', async () => {
    const wrong = Object.assign(new URL(place.url), { password: 'wrong-secret' }).href;
    const before = await readdir(place.folder);
    const file = join(place.folder, 'wrong.dump');
    const { code, stdout, stderr } = await relata.run(['backup', file], { DATABASE_MIGRATION_URL: wrong });
    expect([code, stderr]).toEqual([1, expect.stringContaining('password authentication failed')]);
    expect(stdout + stderr).not.toContain('wrong-secret');
    expect(await readdir(place.folder)).toEqual(before);
  });

  test('a backup with the role of the apps, or of a database without tables, is refused with advice (found D1)', async () => {
    const file = join(place.folder, 'refused.dump');
    const asApp = await relata.run(['backup', file], { DATABASE_MIGRATION_URL: '' });
    expect([asApp.code, asApp.stderr]).toEqual([
      1,
      expect.stringContaining('relata_app may not dump the database. Set'),
    ]);
    const DATABASE_MIGRATION_URL = await place.createDatabase('empty');
    const empty = await relata.run(['backup', file], { DATABASE_MIGRATION_URL });
    expect([empty.code, empty.stderr]).toEqual([1, expect.stringContaining('empty has no tables of Relata.')]);
    expect(existsSync(file)).toBe(false);
  });

  test('a folder keeps backups for the given number of days, and a failed backup deletes none (found D1)', async () => {
    const folder = place.archive;
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
    const nameOf = (days: number) => `relata-${daysAgo(days).toISOString().slice(0, 19).replaceAll(':', '-')}Z.dump`;
    const [old, part] = [nameOf(8), `${nameOf(2)}.part`];
    // The new backup is the seventh.
    const young = [1, 2, 3, 4, 5, 6].map(nameOf);
    for (const name of [old, ...young, part, 'mine.dump']) await writeFile(join(folder, name), '');
    await utimes(join(folder, 'mine.dump'), daysAgo(99), daysAgo(99));
    const nowhere = Object.assign(new URL(place.url), { pathname: '/nowhere' }).href;
    const words = ['backup', folder, '--keep-days', '7'];
    expect((await relata.run(words, { DATABASE_MIGRATION_URL: nowhere })).code).toBe(1);
    expect((await readdir(folder)).toSorted()).toEqual([old, ...young, part, 'mine.dump'].toSorted());
    const made = await relata.json<{ file: string; deleted: string[] }>(...words);
    expect(made.deleted.toSorted()).toEqual([old, part].toSorted());
    expect((await stat(made.file)).size).toBeGreaterThan(10_000);
  });

  test('a daily backup is made at once if none exists, and a failure does not end the command (found D1)', async () => {
    const folder = join(place.folder, 'daily');
    await mkdir(folder);
    const words = ['backup', folder, '--daily-at', '02:30'];
    const nowhere = Object.assign(new URL(place.url), { pathname: '/nowhere' }).href;
    const run = async (env?: Record<string, string>) => {
      const started = await relata.startUntil(/bytes of|no backup was made/, words, env);
      stack.defer(() => void started.child.kill('SIGKILL'));
      return started;
    };
    const failing = await run({ DATABASE_MIGRATION_URL: nowhere });
    expect(failing.printed).toContain('no backup was made, next try in an hour');
    const working = await run();
    expect(working.printed).toMatch(/relata-\S+\.dump: \d+ bytes of the database \S+ in/);
    expect([failing.child.exitCode, working.child.exitCode]).toEqual([null, null]);
    expect((await readdir(folder)).length).toBe(1);
  });
});
