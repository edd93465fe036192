import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Database, openDatabase, statement } from '@relata/db';
import { fenceEvents } from '@relata/events';
import { beforeEach, describe, expect, test } from 'vitest';
import { until } from '@relata/testbed/until';
import { openInstallation, prepareOrganization } from './installation.harness.ts';
import { Load } from './load.harness.ts';
import { manualSettings, settingLines } from './manual.harness.ts';
import { findPostgresPrograms, neededPrograms } from './postgres-programs.harness.ts';
import { listCreated, listRuns } from './restored.sql.ts';

const programs = findPostgresPrograms();
/** Timeout of each wait. On an idle machine a wait takes seconds. */
const patienceMs = 120_000;

const readTime = statement<{ time: string }>('', 'SELECT now()::text AS time');
const readLastNumber = statement<{ seq: number }>('', 'SELECT last_value AS seq FROM event_seq');
const deleteAll = statement<never>('', 'TRUNCATE organizations CASCADE');
const switchWal = statement<{ file: string }>('', 'SELECT pg_walfile_name(pg_switch_wal()) AS file');
const readArchived = statement<{ file: string | null }>('', 'SELECT last_archived_wal AS file FROM pg_stat_archiver');
const isPaused = statement<{ yes: boolean }>('', "SELECT pg_get_wal_replay_pause_state() = 'paused' AS yes");
const resume = statement<never>('', 'SELECT pg_wal_replay_resume()');
const isOpen = statement<{ yes: boolean }>('', 'SELECT NOT pg_is_in_recovery() AS yes');

describe('a recovery to a time', () => {
  beforeEach((context) => context.skip(!programs, neededPrograms));

  test(
    'with the settings of the manual restores everything before that time and nothing after it',
    { timeout: 5 * patienceMs },
    async () => {
      await using stack = new AsyncDisposableStack();
      const { archiving, recovery } = await manualSettings();
      const place = await openInstallation(stack, programs!, archiving);
      const copy = join(place.folder, 'copy');
      await place.migrate(place.url);
      const load = new Load(await prepareOrganization(place.url, place.outside.url));
      await using owner = openDatabase({ url: place.url, name: 'owner', poolMax: 1 });

      await using apps = new AsyncDisposableStack();
      const addresses = await place.startApps(apps, place.url, { worker: false });
      apps.use(load).begin(addresses);
      await acceptsMore(load);
      await programs!.run('pg_basebackup', [`--dbname=${place.url}`, `--pgdata=${copy}`, '--checkpoint=fast']);
      await acceptsMore(load);
      const before = accepted(load);
      const [{ time }] = (await owner.query(readTime, [])) as [{ time: string }];
      const during = accepted(load);
      await acceptsMore(load, 2 * numbersAhead);
      await apps.disposeAsync();
      const [{ seq: lastNumber }] = (await owner.query(readLastNumber, [])) as [{ seq: number }];
      await owner.query(deleteAll, []);
      await archiveRest(owner);

      const archive = [archiving(place.archive), recovery(place.archive, time)];
      await appendFile(join(copy, 'postgresql.auto.conf'), archive.map(settingLines).join(''));
      await writeFile(join(copy, 'recovery.signal'), '');
      const url = await place.startOn(copy);
      await using restored = openDatabase({ url, name: 'restored', poolMax: 1 });
      await becomes(restored, isPaused);
      expect(await readFile(join(copy, 'postgres.log'), 'utf8')).toContain('pausing at the end of recovery');
      const delivered = (await restored.query(listRuns, [])).map(({ nonce }) => nonce);
      const created = (await restored.query(listCreated, [])).map(({ name }) => name);
      // One delivery and one account may have been in flight when the time was noted.
      expect(delivered.toSorted()).toEqual(namesUpTo('d', delivered.length));
      expect(created.toSorted()).toEqual(namesUpTo('c', created.length));
      for (const [found, least, most] of [
        [delivered.length, before.delivered, during.delivered + 1],
        [created.length, before.created, during.created + 1],
      ] as const)
        expect([found, found >= least, found <= most]).toEqual([found, true, true]);

      await restored.query(resume, []);
      await becomes(restored, isOpen);
      expect(await place.migrate(url)).toEqual([]);
      const fence = await fenceEvents({ database: restored }, { kind: 'operator', requestId: 'restore' });
      // Without the fence, some event numbers would be assigned again.
      expect([fence.before < lastNumber, fence.after > lastNumber]).toEqual([true, true]);
      // Otherwise the next recovery from this archive would follow the timeline of the copy.
      expect((await readdir(place.archive)).filter((name) => name.startsWith('00000002'))).toEqual([]);
    },
  );
});

const accepted = ({ delivered, created }: Load) => ({ delivered: delivered.length, created: created.length });

const namesUpTo = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${prefix}-${at}`).toSorted();

/** PostgreSQL writes sequence values to its WAL this many numbers ahead, so a restored sequence can skip as many. */
const numbersAhead = 32;

/** Waits until `count` more deliveries and `count` more accounts have been accepted. */
async function acceptsMore(load: Load, count = 10): Promise<void> {
  const { delivered, created } = accepted(load);
  await until('more deliveries and accounts are accepted', () => {
    const now = accepted(load);
    return now.delivered >= delivered + count && now.created >= created + count;
  });
}

/** Closes the current WAL file and waits until it is archived, because only complete files are archived. */
async function archiveRest(owner: Database): Promise<void> {
  const [{ file }] = (await owner.query(switchWal, [])) as [{ file: string }];
  await until('the last file is in the archive', async () => {
    const [archived] = await owner.query(readArchived, []);
    return (archived?.file ?? '') >= file;
  });
}

async function becomes(database: Database, question: typeof isPaused): Promise<void> {
  await until(question.text, async () => (await database.query(question, []))[0]?.yes);
}
