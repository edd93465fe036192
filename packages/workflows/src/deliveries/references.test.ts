import { createOrganization } from '@relata/auth';
import { brokenForeignKey, newId } from '@relata/db';
import { operatorActor } from '@relata/events';
import { createTestDatabase, type TestDatabase } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type NewDelivery, storeDeliveries } from './delivery-store.sql.ts';
import { createTrigger } from '../triggers/trigger.operations.ts';
import { storeDefinition } from '../definitions/workflow.sql.ts';

interface Organization {
  orgId: string;
  triggerId: string;
  workflowId: string;
}

let opened: TestDatabase;
let [acme, globex]: Organization[] = [];

beforeAll(async () => {
  opened = await createTestDatabase();
  [acme, globex] = [await createFilled('Acme'), await createFilled('Globex')];
});
afterAll(() => opened[Symbol.asyncDispose]());

async function createFilled(name: string): Promise<Organization> {
  const { database } = opened;
  const { id: orgId } = await createOrganization(database, name);
  const { trigger } = await createTrigger({ database }, operatorActor(orgId, 'test'), { name: 'Form' });
  const { applied } = await database.transaction((tx) => storeDefinition(tx, orgId, { name: 'one' }));
  return { orgId, triggerId: trigger.id, workflowId: applied.id };
}

function deliveryOf({ orgId, triggerId, workflowId }: Organization, version = 1): NewDelivery {
  const runs = [{ id: newId(), workflowId, version, isLimited: false, inputs: '{}' }];
  return { orgId, id: newId(), triggerId, keyHash: undefined, body: Buffer.from('{}'), headers: {}, skipped: [], runs };
}

const store = (...deliveries: NewDelivery[]) => storeDeliveries(opened.database, deliveries);

test('deliveries and runs that refer to their own organization are stored', async () => {
  expect((await store(deliveryOf(acme!), deliveryOf(globex!))).size).toBe(2);
});

test('a batch with a reference to another organization, or to nothing, is refused as a whole', async () => {
  const wrong = [
    { ...acme!, triggerId: globex!.triggerId },
    { ...acme!, workflowId: globex!.workflowId },
    { ...acme!, orgId: globex!.orgId },
  ].map((mixed) => deliveryOf(mixed));
  for (const delivery of [...wrong, deliveryOf(acme!, 2)])
    await expect(store(deliveryOf(acme!), delivery)).rejects.toSatisfy(
      (error) => brokenForeignKey(error) !== undefined,
    );
});
