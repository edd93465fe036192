import { randomBytes } from 'node:crypto';
import { createOrganization } from '@relata/auth';
import { newId, statement } from '@relata/db';
import { operatorActor } from '@relata/events';
import { createTestDatabase } from '@relata/testing';
import { storeDefinition } from '../definitions/workflow.sql.ts';
import { storeDeliveries } from '../deliveries/delivery-store.sql.ts';
import { createTrigger } from '../triggers/trigger.operations.ts';

/** Returns an id with a timestamp in 2020. */
const oldId = () => `016f5e66-e800${newId().slice(13)}`;

interface Stored {
  runs: number;
  body?: string;
  inputs?: string;
  status?: 'succeeded' | 'failed';
}

/**
 * Opens a database in which a test can store runs with long journals, and make statements slow if they delete too much.
 */
export async function openLargeRuns() {
  const opened = await createTestDatabase();
  const { database } = opened;

  const sql = <Row>(text: string, values: readonly unknown[] = []) =>
    opened.owner.query(statement<Row>('', text), values);

  /** Creates an organization; `store` stores old deliveries, each with a run, and returns the ids of the runs. */
  const createOrg = async () => {
    const { id: orgId } = await createOrganization(database, 'Acme');
    const { trigger } = await createTrigger({ database }, operatorActor(orgId, 'test'), { name: 'Form' });
    const { applied } = await database.transaction((tx) => storeDefinition(tx, orgId, { name: 'one' }));
    const store = async ({ runs, body = '{}', inputs = '{}', status = 'succeeded' }: Stored) => {
      const ids = Array.from({ length: runs }, oldId).toSorted();
      for (const id of ids) {
        const run = { id, workflowId: applied.id, version: 1, isLimited: false, inputs };
        const delivery = { orgId, id: oldId(), triggerId: trigger.id, keyHash: undefined, body: Buffer.from(body) };
        await storeDeliveries(database, [{ ...delivery, headers: {}, skipped: [], runs: [run] }]);
      }
      await sql(`UPDATE workflow_runs SET status = $2, finished_at = now() - interval '31 days' WHERE id = ANY ($1)`, [
        ids,
        status,
      ]);
      await sql(`UPDATE webhook_deliveries SET received_at = now() - interval '31 days'`);
      return ids;
    };
    return { orgId, triggerId: trigger.id, store };
  };

  const addSteps = (runIds: readonly string[], count: number, output = 'null') =>
    sql(
      `INSERT INTO workflow_run_steps (org_id, run_id, path, position, use, status, output)
       SELECT org_id, id, format('each[%s].call', n), n, 'http.request', 'succeeded', $3
       FROM workflow_runs, generate_series(1, $2::int) n WHERE id = ANY ($1)`,
      [runIds, count, output],
    );

  /** Adds refused posts that are 8 days old. */
  const addRefusals = (orgId: string, triggerId: string, { posts, body }: { posts: number; body: string }) =>
    sql(
      `INSERT INTO webhook_refusals (
         org_id, id, trigger_id, refused_at, is_authorized, status, reason, message, bytes, address, body)
       SELECT $1, uuidv7(), $2, now() - interval '8 days', true, 400, 'invalid', '', 1, '::1', convert_to($4, 'UTF8')
       FROM generate_series(1, $3::int)`,
      [orgId, triggerId, posts, body],
    );

  /** Makes a statement that deletes many rows or bytes at once exceed the timeout, as it does on a slow disk. */
  const slowDown = async () => {
    const tables = {
      workflow_run_steps: 'output',
      workflow_runs: 'inputs',
      webhook_deliveries: 'body',
      webhook_refusals: 'body',
    };
    for (const [table, column] of Object.entries(tables))
      await sql(
        `DO $do$ BEGIN
           CREATE FUNCTION slow_${table}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             IF (SELECT count(*) > 10000 OR sum(pg_column_size(${column})) > 15000000 FROM gone) THEN
               PERFORM pg_sleep(100);
             END IF;
             RETURN NULL;
           END $$;
           CREATE TRIGGER slow AFTER DELETE ON ${table}
             REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION slow_${table}();
         END $do$`,
      );
  };

  const counts = () =>
    sql(`SELECT (SELECT count(*)::integer FROM workflow_run_steps) AS steps,
      (SELECT count(*)::integer FROM workflow_runs) AS runs,
      (SELECT count(*)::integer FROM webhook_deliveries) AS deliveries`);

  return {
    ...opened,
    sql,
    createOrg,
    addSteps,
    addRefusals,
    slowDown,
    counts,
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

export type LargeRuns = Awaited<ReturnType<typeof openLargeRuns>>;

/** Returns a JSON string of this size that cannot be compressed. */
export const json = (bytes: number) => JSON.stringify(randomBytes((bytes * 3) / 4).toString('base64'));
