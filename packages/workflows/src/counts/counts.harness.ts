import { createOrganization } from '@relata/auth';
import { firstIdAt, newId, statement } from '@relata/db';
import { operatorActor } from '@relata/events';
import { createTestDatabase, type TestDatabase } from '@relata/testing';
import { storeDefinition } from '../definitions/workflow.sql.ts';
import { createTrigger } from '../index.ts';
import { storeDeliveries } from '../intake.ts';

interface Stored {
  status?: string;
  step?: string;
  triggerId?: string;
}

export interface CountedOrganization extends AsyncDisposable {
  db: TestDatabase;
  orgId: string;
  triggerId: string;
  otherTriggerId: string;
  /**
   * Stores one delivery per time, with an id of that time, in a single statement. If `status` is given, each delivery
   * gets a run in that state. Returns the ids of the runs.
   */
  store: (times: readonly number[], more?: Stored) => Promise<string[]>;
  sql: <Row = never>(text: string, values?: readonly unknown[]) => Promise<Row[]>;
}

/** Returns a unique id with the given timestamp. */
const idAt = (ms: number) => firstIdAt(ms).slice(0, 18) + newId().slice(18);

/** Creates an organization with two triggers and a workflow. */
export async function startCounted(): Promise<CountedOrganization> {
  const db = await createTestDatabase();
  const orgId = (await createOrganization(db.database, 'Acme')).id;
  const make = async (name: string) =>
    (await createTrigger({ database: db.database }, operatorActor(orgId, 'test'), { name })).trigger.id;
  const [triggerId, otherTriggerId] = [await make('Form'), await make('Partner')];
  const { applied } = await db.database.transaction((tx) => storeDefinition(tx, orgId, { name: 'one' }));
  const sql = <Row>(text: string, values: readonly unknown[] = []) =>
    db.database.query(statement<Row>('', text), values);

  const store = async (times: readonly number[], { status, step, ...more }: Stored = {}) => {
    const delivery = {
      orgId,
      triggerId,
      keyHash: undefined,
      body: Buffer.from('{}'),
      headers: {},
      skipped: [],
      ...more,
    };
    const run = { workflowId: applied.id, version: 1, isLimited: false, inputs: '{}' };
    const given = times.map((at) => ({ ...delivery, id: idAt(at), runs: status ? [{ ...run, id: idAt(at) }] : [] }));
    await storeDeliveries(db.database, given);
    const ids = given.flatMap(({ runs }) => runs.map(({ id }) => id));
    const error = JSON.stringify({ code: 'bad_status', message: 'Refused.', step });
    if (status && status !== 'queued')
      await sql('UPDATE workflow_runs SET status = $1, error = $2::json WHERE org_id = $3 AND id = ANY ($4::uuid[])', [
        status,
        error,
        orgId,
        ids,
      ]);
    return ids;
  };
  const dispose = () => db[Symbol.asyncDispose]();
  return { db, orgId, triggerId, otherTriggerId, store, sql, [Symbol.asyncDispose]: dispose };
}
