import { newId, statement } from '@relata/db';
import { type Actor, organizationActor } from '@relata/events';
import { createTestDatabase, failingAtCommit, type TestDatabase } from '@relata/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { renameOrganization } from './organization.operations.ts';
import { createOrganization, findOrganizationName } from './organization.sql.ts';

let db: TestDatabase;
let acme: Actor;

const userIn = (orgId: string): Actor =>
  organizationActor({ kind: 'user', userId: 'ada', name: 'Ada', requestId: 'clicked' }, orgId);

beforeAll(async () => void (db = await createTestDatabase()));
beforeEach(async () => void (acme = userIn((await createOrganization(db.database, 'Acme')).id)));
afterAll(() => db[Symbol.asyncDispose]());

const select = statement<Record<string, unknown>>(
  'test.events',
  'SELECT type, record_id, actor, changed, previous, record FROM events WHERE org_id = $1',
);
const eventsOf = ({ orgId }: Actor) => db.database.query(select, [orgId]);
const nameOf = ({ orgId }: Actor) => findOrganizationName(db.database, orgId);

test('a renamed organization has an event with the previous name; the same name again changes nothing', async () => {
  for (let i = 0; i < 2; i++) {
    const { updated_at, ...row } = await renameOrganization(db, acme, { name: 'Acme Robotics' });
    expect(row).toMatchObject({ id: acme.orgId, name: 'Acme Robotics' });
    expect(Date.parse(updated_at)).not.toBeNaN();
  }
  expect(await eventsOf(acme)).toMatchObject([
    {
      type: 'organization.updated',
      record_id: acme.orgId,
      actor: { type: 'user', id: 'ada', name: 'Ada' },
      changed: ['name'],
      previous: { name: 'Acme' },
      record: { id: acme.orgId, name: 'Acme Robotics' },
    },
  ]);
});

test('a rename that fails at its commit leaves the name unchanged and no event', async () => {
  await expect(renameOrganization({ database: failingAtCommit(db.database) }, acme, { name: 'Other' })).rejects.toThrow(
    'rolled back',
  );
  expect([await nameOf(acme), await eventsOf(acme)]).toEqual(['Acme', []]);
});

test('an invalid name is refused, and an unknown organization is not found', async () => {
  for (const name of ['', 'x'.repeat(256)])
    await expect(renameOrganization(db, acme, { name })).rejects.toMatchObject({ code: 'validation_error' });
  await expect(renameOrganization(db, userIn(newId()), { name: 'Other' })).rejects.toMatchObject({ code: 'not_found' });
  expect([await nameOf(acme), await eventsOf(acme)]).toEqual(['Acme', []]);
});
