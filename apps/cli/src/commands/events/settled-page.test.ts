import { createOrganization } from '@relata/auth';
import { type Db, statement } from '@relata/db';
import { EventFeed } from '@relata/events';
import { beforeAll, expect, test } from 'vitest';
import { setUpCli } from '../../cli.harness.ts';
import { readSettled } from './settled-page.ts';

const cli = setUpCli();
let org: string;

const write = (db: Db) =>
  db.query(
    statement<never>(
      'test.write_event',
      `INSERT INTO events (org_id, id, seq, type, record_id, actor)
       VALUES ($1, gen_random_uuid(), next_event($1), 'account.updated', gen_random_uuid(), '{"type":"system"}')`,
    ),
    [org],
  );

beforeAll(async () => {
  org = (await createOrganization(cli.database(), 'Acme')).id;
  await write(cli.database());
});

/** Writes events in overlapping transactions of 100 ms until `work` has ended. */
async function whileWritten<Result>(work: () => Promise<Result>): Promise<Result> {
  let isOver = false;
  const writer = async () => {
    while (!isOver)
      await cli.database().transaction(async (db) => {
        await write(db);
        await db.query(statement<never>('test.sleep', 'SELECT pg_sleep(0.1)'), []);
      });
  };
  const writers = Promise.all(Array.from({ length: 4 }, writer));
  try {
    return await work();
  } finally {
    isOver = true;
    await writers;
  }
}

test('events are listed, and followed from now on, while an organization writes without a pause', async () => {
  const [listed, followed] = await whileWritten(() =>
    Promise.all([
      cli.run(['events', 'list', '--org', org, '--limit', '1', '--json']),
      cli.run(['events', 'tail', '--org', org, '--limit', '1', '--json']),
    ]),
  );
  for (const { code, stdout, stderr } of [listed, followed]) {
    expect({ code, stderr: stderr.replace(/^relata: There may be more\..*\n/, '') }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject([{ type: 'account.updated' }]);
  }
});

test('a transaction that stays open ends the wait with an error that says how to find it', async () => {
  const feed = new EventFeed(cli.database());
  const query = { order: 'desc', limit: 1, waitMs: 0 } as const;
  await cli.database().transaction(async (db) => {
    await write(db);
    await expect(readSettled(feed, org, query, { waitMaxMs: 100 })).rejects.toMatchObject({
      code: 'service_unavailable',
      message: expect.stringContaining('relata doctor (check transactions)'),
    });
    const signal = AbortSignal.abort();
    expect(await readSettled(feed, org, query, { signal })).toEqual({
      events: [],
      nextCursor: 'latest',
      hasMore: false,
    });
  });
});
