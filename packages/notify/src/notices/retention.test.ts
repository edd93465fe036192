import { type Db, newId, statement } from '@relata/db';
import { expect, test } from 'vitest';
import { openNotices } from '../notify.harness.ts';
import { dropOldNotes, dropOldNotices } from './retention.sql.ts';

test('if old notices and notes cannot be dropped for one organization, those of the others are dropped', async () => {
  await using notices = await openNotices();
  const { database, owner } = notices;
  const sql = <Row>(text: string, values: readonly unknown[] = [], db: Db = database) =>
    db.query(statement<Row>('', text), values);
  const channel = { url: 'https://hooks.slack.com/services/T1/B1/s3cret' };
  const add = (name: string) => notices.addOrganization(name, channel);
  const organizations = [await add('Acme'), await add('Broken'), await add('Globex')];
  for (const { orgId } of organizations)
    for (const days of [0, 2, 8]) {
      const values = [orgId, newId(), days];
      const age = 'now() - make_interval(days => $3)';
      await sql(
        `INSERT INTO notices (org_id, kind, cause, since, last_at, sent_at) VALUES ($1, 'test', $2, ${age}, ${age}, ${age})`,
        values,
      );
      await sql(`INSERT INTO failed_run_notes (org_id, run_id, failed_at) VALUES ($1, $2, ${age})`, values);
      await sql(`INSERT INTO refused_start_notes (org_id, delivery_id, noted_at) VALUES ($1, $2, ${age})`, values);
    }
  const broken = organizations[1]!.orgId;
  const tables = ['notices', 'failed_run_notes', 'refused_start_notes'];
  await sql(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'broken'; END $$`, [], owner);
  for (const table of tables)
    await sql(
      `CREATE TRIGGER refuse BEFORE DELETE ON ${table}
       FOR EACH ROW WHEN (OLD.org_id = '${broken}') EXECUTE FUNCTION refuse()`,
      [],
      owner,
    );
  await expect(dropOldNotices(database)).rejects.toThrow('broken');
  await expect(dropOldNotes(database)).rejects.toThrow('broken');
  const left = (table: string) =>
    sql(`SELECT org_id, count(*)::integer AS n FROM ${table} GROUP BY org_id ORDER BY org_id`);
  const expected = (others: number) =>
    organizations
      .map(({ orgId }) => ({ org_id: orgId, n: orgId === broken ? 3 : others }))
      .toSorted((a, b) => (a.org_id < b.org_id ? -1 : 1));
  expect(await left('notices')).toEqual(expected(2));
  expect(await left('failed_run_notes')).toEqual(expected(1));
  expect(await left('refused_start_notes')).toEqual(expected(1));
});
