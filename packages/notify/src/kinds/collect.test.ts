import { type Db, newId, onlyRow, statement } from '@relata/db';
import { storeRefusals } from '@relata/workflows/intake';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setTimeout as pause } from 'node:timers/promises';
import { removeNotifyChannel } from '../index.ts';
import { type Notices, openNotices } from '../notify.harness.ts';
import { kinds } from './kinds.ts';
import { organizationsMax } from './notice-kind.ts';

let notices: Notices;
beforeAll(async () => void (notices = await openNotices()));
afterAll(() => notices[Symbol.asyncDispose]());

const url = 'https://hooks.slack.com/services/T/B/s3cret';
const collect = async (kind: string) => (await kinds[kind]!.collect!(notices.database, 1_000)).is_full;

const everyKind = ['failed_run', 'refused_start', 'refusing_trigger'];

const setStatus = statement<never>(
  'test.set_run_status',
  'UPDATE workflow_runs SET status = $3 WHERE org_id = $1 AND id = $2',
);
const addNotes = statement<never>(
  'test.add_notes',
  `WITH runs AS (INSERT INTO failed_run_notes (org_id, run_id) VALUES ($1, $2))
   INSERT INTO refused_start_notes (org_id, delivery_id) VALUES ($1, $2)`,
);
const countLeft = statement<{ runs: number; starts: number; triggers: number }>(
  'test.count_left',
  `SELECT (SELECT count(*)::integer FROM failed_run_notes) AS runs, (SELECT count(*)::integer FROM refused_start_notes) AS starts,
     (SELECT count(*)::integer FROM webhook_refusal_counts WHERE refused > reported) AS triggers`,
);

test('a run that is retried and fails again while its note is collected is reported', async () => {
  const own = await notices.addOrganization('Retried', { url });
  const run = await own.run(await own.apply('lead'));
  await own.failRuns([run]);
  await notices.database.query(setStatus, [own.orgId, run, 'queued']);
  await notices.database.transaction(async (db) => {
    await db.query(setStatus, [own.orgId, run, 'failed']);
    await collect('failed_run');
  });
  await collect('failed_run');
  expect(await own.find()).toMatchObject({ waiting: 1 });
});

test('counting more refused posts does not write to any index', async () => {
  const { orgId, triggerId } = await notices.addOrganization('Counted', { url });
  const count = [{ orgId, triggerId, reason: 'stale', refused: 1 }];
  const updates = statement<{ all: number; hot: number }>(
    'test.count_updates',
    `SELECT n_tup_upd::integer AS all, n_tup_hot_upd::integer AS hot FROM pg_stat_xact_user_tables
     WHERE relname = 'webhook_refusal_counts'`,
  );
  await storeRefusals(notices.database, [], count);
  await collect('refusing_trigger');
  await notices.database.transaction(async (db) => {
    const before = await onlyRow(db, updates, []);
    await storeRefusals(db, [], count);
    expect(await onlyRow(db, updates, [])).toEqual({ all: before.all + 1, hot: before.hot + 1 });
  });
});

test('a round handles a limited number of organizations, and the next round handles the others', async () => {
  // Removes everything from earlier tests.
  for (const kind of everyKind) await collect(kind);
  for (let i = 0; i < organizationsMax + 5; i++) {
    const { orgId, triggerId } = await notices.addOrganization(`Org ${i}`, { url });
    await notices.database.query(addNotes, [orgId, newId()]);
    await storeRefusals(notices.database, [], [{ orgId, triggerId, reason: 'stale', refused: 1 }]);
  }
  for (const [left, isFull] of [
    [5, true],
    [0, false],
  ] as const) {
    for (const kind of everyKind) expect(await collect(kind)).toBe(isFull);
    expect(await notices.database.query(countLeft, [])).toEqual([{ runs: left, starts: left, triggers: left }]);
  }
});

test.each(everyKind)(
  'writers of failures, the collector of %s and the removal of the channel never deadlock',
  async (kind) => {
    const own = await notices.addOrganization(`Removed ${kind}`, { url });
    const { orgId, triggerId, actor } = own;
    const workflowId = await own.apply('lead');
    const [earlier, run] = [await own.run(workflowId), await own.run(workflowId)];
    const count = [{ orgId, triggerId, reason: 'stale' as const, refused: 1 }];
    const write = async (db: Db, id: string) => {
      await db.query(setStatus, [orgId, id, 'failed']);
      await own.refuseStart(workflowId, 'email', db);
      await storeRefusals(db, [], count);
    };
    await write(notices.database, earlier);
    const others: Promise<unknown>[] = [];
    await notices.database.transaction(async (db) => {
      await write(db, run);
      others.push(collect(kind), removeNotifyChannel(notices.context, actor), collect(kind));
      await pause(200);
      await write(db, run);
    });
    expect((await Promise.allSettled(others)).map(({ status }) => status)).toEqual(others.map(() => 'fulfilled'));
    expect(await own.find()).toBeUndefined();
  },
);
