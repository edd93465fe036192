import { createOrganization } from '@relata/auth';
import { type Database, newId } from '@relata/db';
import { claimRuns, type JournalEntry, type RunOutcome, writeJournal } from '@relata/workflows/execution';
import { type NewDelivery, storeDeliveries } from '@relata/workflows/intake';
import { beforeAll } from 'vitest';
import { setUpCli } from '../../cli.harness.ts';
import { inboundLead, makeAssignment, makeTrigger, makeWorkflow } from '../workflows/workflows.harness.ts';

/** Creates an organization with a trigger that starts a workflow. */
export async function makeAssigned(database: Database) {
  const { id: orgId } = await createOrganization(database, 'Acme');
  const workflowId = await makeWorkflow(database, orgId, inboundLead);
  const { id: triggerId } = await makeTrigger(database, orgId);
  await makeAssignment(database, orgId, { triggerId, workflowId, inputs: { email: 'payload.email' } });
  return { orgId, workflowId, triggerId };
}

export type Assigned = Awaited<ReturnType<typeof makeAssigned>>;

/** Creates a database for the tests of a file, with two such organizations. */
export function setUpAssigned() {
  const cli = setUpCli();
  const [acme, globex] = [{} as Assigned, {} as Assigned];
  beforeAll(async () => {
    for (const organization of [acme, globex]) Object.assign(organization, await makeAssigned(cli.database()));
  });
  return { cli, acme, globex };
}

/** Stores a delivery and its run as the receiver does. */
export async function deliver(database: Database, { orgId, workflowId, triggerId }: Assigned, body: string | Buffer) {
  const [id, runId] = [newId(), newId()];
  const run = { id: runId, workflowId, version: 1, isLimited: false, inputs: '{"email":"ada@example.com"}' };
  const headers = { 'content-type': 'application/json', 'x-event': 'signup' };
  const delivery = {
    orgId,
    id,
    triggerId,
    keyHash: undefined,
    headers,
    body: Buffer.from(body),
    skipped: [],
    runs: [run],
  };
  await storeDeliveries(database, [delivery]);
  return { id, runId };
}

/** Stores a delivery that did not start its workflow. */
export async function refuse(
  database: Database,
  { orgId, triggerId }: Assigned,
  refused: NewDelivery['skipped'][number],
) {
  const body = Buffer.from('{"email":"ada@example.com"}');
  const delivery = {
    orgId,
    id: newId(),
    triggerId,
    keyHash: undefined,
    headers: {},
    body,
    skipped: [refused],
    runs: [],
  };
  await storeDeliveries(database, [delivery]);
  return delivery.id;
}

/** Claims a run, and returns a function that writes its journal, as a worker does. */
export async function work(database: Database, orgId: string, runId: string) {
  const [claimed] = await claimRuns(database, [[orgId, runId]], { worker: 'test', leaseMs: 60_000, limit: 1 });
  return {
    write: (entries: JournalEntry[], outcome: RunOutcome) =>
      database.transaction((db) => writeJournal(db, claimed!, entries, outcome)),
  };
}

const log = { path: 'log', position: 0, use: 'activity.create', status: 'succeeded', attempts: 1 } as const;
const refused = { code: 'upstream_error', message: 'The channel answered 500.' };

/** Makes the second step of a run fail for good. */
export async function fail(database: Database, orgId: string, runId: string): Promise<void> {
  const { write } = await work(database, orgId, runId);
  const at = new Date().toISOString();
  const failures = [{ attempt: 1, started_at: at, finished_at: at, error: refused }];
  const tell = { path: 'tell', position: 1, use: 'channel.post', status: 'failed', attempts: 2 } as const;
  await write(
    [
      { ...log, input: JSON.stringify({ content: 'Form sent' }), output: JSON.stringify({ id: 'made' }) },
      { ...tell, input: JSON.stringify({ text: 'A lead' }), failures, error: refused },
    ],
    { status: 'failed', error: { ...refused, step: 'tell' } },
  );
}

/** Makes a run wait: for the next attempt at its first step, or for the end of a pause. */
export async function wait(db: Database, orgId: string, runId: string, { isRetrying }: { isRetrying: boolean }) {
  const { write } = await work(db, orgId, runId);
  const error = isRetrying ? { error: refused } : {};
  const step = {
    path: 'pause',
    position: 0,
    use: 'delay',
    status: 'waiting',
    attempts: 1,
    wakeInMs: 3_600_000,
  } as const;
  await write([{ ...step, ...error }], { status: 'waiting' });
}
