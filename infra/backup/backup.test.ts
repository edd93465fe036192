import { join } from 'node:path';
import { type Database, openDatabase } from '@relata/db';
import { fenceEvents } from '@relata/events';
import { beforeEach, describe, expect, test } from 'vitest';
import { until } from '@relata/testbed/until';
import { openInstallation, prepareOrganization } from './installation.harness.ts';
import { Load } from './load.harness.ts';
import { findPostgresPrograms, neededPrograms } from './postgres-programs.harness.ts';
import { listCreated, listRuns, type Run } from './restored.sql.ts';

const programs = findPostgresPrograms();

/** Timeout of each wait. On an idle machine a wait takes seconds. */
const patienceMs = 120_000;

const isOpen = ({ status }: Run) => status !== 'succeeded';

describe('a backup', () => {
  beforeEach((context) => context.skip(!programs, neededPrograms));

  test(
    'taken under load is restored completely, and no work is repeated afterwards',
    { timeout: 5 * patienceMs },
    async () => {
      await using stack = new AsyncDisposableStack();
      const place = await openInstallation(stack, programs!);
      await place.migrate(place.url);
      const load = new Load(await prepareOrganization(place.url, place.outside.url));
      const dump = join(place.folder, 'relata.dump');

      await using first = new AsyncDisposableStack();
      const addresses = await place.startApps(first, place.url);
      first.use(load).begin(addresses);
      await until('some runs have ended', () => place.outside.calls.length > 20);
      const before = { delivered: [...load.delivered], created: [...load.created] };
      await programs!.run('pg_dump', ['--format=custom', `--file=${dump}`, place.url]);
      const later = load.delivered.length + 20;
      await until('deliveries that the backup lacks are accepted', () => load.delivered.length > later);
      await first.disposeAsync();

      const url = await place.createDatabase('restored');
      await programs!.run('pg_restore', [
        '--exit-on-error',
        '--no-owner',
        '--no-privileges',
        '--jobs=2',
        `--dbname=${url}`,
        dump,
      ]);
      expect(await place.migrate(url)).toEqual([]);
      await using database = openDatabase({ url, name: 'restored', poolMax: 2 });
      await fenceEvents({ database }, { kind: 'operator', requestId: 'restore' });
      const restored = await database.query(listRuns, []);
      const created = (await database.query(listCreated, [])).map(({ name }) => name);
      const open = restored.filter(isOpen);
      expect(new Set(restored.map(({ nonce }) => nonce)).size).toBe(restored.length);
      expect(before.delivered.filter((nonce) => !restored.some((run) => run.nonce === nonce))).toEqual([]);
      expect(before.created.filter((name) => !created.includes(name))).toEqual([]);
      expect(
        restored.filter((run) => run.status === 'none' || run.accounts > 1 || run.accounts !== run.events),
      ).toEqual([]);
      expect(restored.filter((run) => !isOpen(run) && run.accounts !== 1)).toEqual([]);
      expect(restored.length).toBeLessThan(load.delivered.length);
      expect([open.length > 0, open.length < restored.length]).toEqual([true, true]);

      const calledBefore = place.outside.calls.length;
      await using second = new AsyncDisposableStack();
      const again = await place.startApps(second, url);
      expect((await load.create(again, before.created[0]!)).headers.get('idempotent-replayed')).toBe('true');
      expect(await load.deliver(again, 'd-new')).toBe(202);
      const runs = await until('every run has ended', () => allEnded(database));
      expect(runs.length).toBe(restored.length + 1);
      expect(runs.filter(({ accounts, events }) => accounts !== 1 || events !== 1)).toEqual([]);
      const called = place.outside.calls.slice(calledBefore).map((headers) => String(headers['idempotency-key']));
      const expected = runs.filter(({ id }) => !restored.some((run) => run.id === id && !isOpen(run)));
      expect(called.map((name) => name.split(':')[0]!).toSorted()).toEqual(expected.map(({ id }) => id).toSorted());
      expect(await load.total(again)).toBe(runs.length + created.length);
    },
  );
});

async function allEnded(database: Database): Promise<Run[] | undefined> {
  const runs = await database.query(listRuns, []);
  return runs.some(isOpen) ? undefined : runs;
}
