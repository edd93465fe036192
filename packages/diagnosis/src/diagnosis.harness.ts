import { type Database, newId, openDatabase, statement } from '@relata/db';
import { Messaging, runsReady } from '@relata/messaging';
import { createTestDatabase, natsUrl, type TestDatabase } from '@relata/testing';
import { afterEach, beforeEach } from 'vitest';
import type { DiagnosisContext, Finding } from './check.ts';
import { checks } from './checks.ts';
import { diagnose } from './diagnose.operations.ts';

/**
 * Time limit of the checks in tests. It is long, because a busy machine may stall for seconds. Only tests of the limit
 * set a shorter limit.
 */
const limitMs = 60_000;

/**
 * Provides a database and a queue for each test, in the state in which the apps leave them. Tests then cause the faults
 * that a check must find.
 */
export function setUpDiagnosis() {
  let stack: AsyncDisposableStack;
  let test: TestDatabase;
  let given: DiagnosisContext;
  beforeEach(async () => {
    stack = new AsyncDisposableStack();
    test = stack.use(await createTestDatabase());
    given = {
      database: test.database,
      messaging: openMessaging(natsUrl()),
      environment: {},
      emptyVariables: [],
      keysOf: () => undefined,
      now: () => Date.now(),
    };
  });
  afterEach(() => stack.disposeAsync());

  const openMessaging = (url: string, more: { streamReplicas?: number } = {}) =>
    stack.use(new Messaging({ url, name: 'diagnosis', prefix: new URL(test.url).pathname.slice(1), ...more }));

  const all = (change: Partial<DiagnosisContext> = {}, options: Parameters<typeof diagnose>[1] = {}) =>
    diagnose({ ...given, ...change }, { limitMs, ...options });

  const open = (url: string, connectTimeoutMs = limitMs): Database =>
    stack.use(openDatabase({ url, name: 'diagnosis', poolMax: 2, connectTimeoutMs }));

  return {
    all,
    /** Returns the finding of a check. Also runs the check of the server that this check needs. */
    async find(name: string, change: Partial<DiagnosisContext> = {}): Promise<Finding> {
      const needed = checks.find((check) => check.name === name)!.needs;
      const asked = checks.filter((check) => [name, needed].includes(check.name));
      return (await all(change, { asked })).find(({ check }) => check === name)!;
    },
    /** Stack that is disposed at the end of the test. */
    stack: () => stack,
    url: () => test.url,
    database: () => test.database,
    owner: () => test.owner,
    open,
    openMessaging,
    /** Runs a statement as the owner of the tables. */
    sql: <Row>(text: string, values: readonly unknown[] = []) => test.owner.query(statement<Row>('', text), values),
  };
}

export type TestDiagnosis = ReturnType<typeof setUpDiagnosis>;

/** Creates the stream and its consumer, as a worker does. */
export async function makeQueue(messaging: Messaging): Promise<void> {
  await messaging.connected(60_000);
  await messaging.next(runsReady, 1_000);
}

/** Adds an organization with a trigger, and the rows needed to store runs. */
export async function addOrganization({ sql }: Pick<TestDiagnosis, 'sql'>) {
  const [org, trigger, workflow, delivery] = [newId(), newId(), newId(), newId()];
  await sql("INSERT INTO organizations (id, name) VALUES ($1, 'Acme')", [org]);
  await sql("INSERT INTO webhook_triggers (org_id, id, name) VALUES ($1, $2, 'Form')", [org, trigger]);
  await sql("INSERT INTO workflows (org_id, id, name, version) VALUES ($1, $2, 'Lead', 1)", [org, workflow]);
  await sql("INSERT INTO workflow_versions (org_id, workflow_id, version, definition) VALUES ($1, $2, 1, '{}')", [
    org,
    workflow,
  ]);
  await sql("INSERT INTO webhook_deliveries (org_id, id, trigger_id, body, headers) VALUES ($1, $2, $3, '', '{}')", [
    org,
    delivery,
    trigger,
  ]);
  let replay = 0;
  return {
    org,
    trigger,
    /** Adds a run that has been due for this many seconds. */
    addRun: (status: string, dueSeconds: number) =>
      sql(
        `INSERT INTO workflow_runs (org_id, id, workflow_id, version, delivery_id, trigger_id, replay, inputs, status, due_at, finished_at)
         VALUES ($1, $2, $3, 1, $4, $5, $6, '{}', $7, now() - make_interval(secs => $8), CASE WHEN $7 = 'failed' THEN now() END)`,
        [org, newId(), workflow, delivery, trigger, replay++, status, dueSeconds],
      ),
    /** Adds a secret key; its times are SQL expressions. */
    async addKey(expiresAt: string, usedAt: string): Promise<string> {
      const id = newId();
      await sql(
        `INSERT INTO api_keys (org_id, id, name, kind, prefix, last_four, key_hash, scopes, expires_at, last_used_at)
         VALUES ($1, $2, 'x', 'secret', 'p', 'four', decode(md5($2::uuid::text), 'hex'), ARRAY['webhook'], ${expiresAt}, ${usedAt})`,
        [org, id],
      );
      return id;
    },
  };
}
