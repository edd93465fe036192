import { say } from '@relata/testbed/suite-program';
import { setTimeout as pause } from 'node:timers/promises';
import { leadBody } from '../ingest/lead.ts';
import { openTestBed } from '../ingest/test-bed.ts';
import { listTableSizes, type TableSize } from './table-size.sql.ts';

const tables = [
  'webhook_deliveries',
  'webhook_delivery_keys',
  'workflow_runs',
  'workflow_run_steps',
  'contacts',
  'custom_activities',
  'custom_activity_contacts',
  'events',
];
const atOnce = 32;
const pollMs = 200;

export interface DeliverySizes {
  postgresVersion: string;
  deliveries: number;
  tables: TableSize[];
}

/**
 * Posts deliveries of 1 KB with idempotency keys, and measures the space that they take. Each delivery starts a run
 * that creates a contact and an activity.
 */
export async function measureDeliveries(count: number): Promise<DeliverySizes> {
  await using stack = new AsyncDisposableStack();
  const bed = await openTestBed(stack);
  const database = await bed.createIngestDatabase('bench_size');
  await using receiver = await bed.startReceiver(database, { prefix: 'bench-size' });
  await using _worker = await bed.startWorker(database, { prefix: 'bench-size' });
  say(`posting ${count.toLocaleString('en-US')} deliveries`);
  const { path, headers } = database.targets[1];
  let next = 0;
  const postOnAndOn = async () => {
    for (let number = next++; number < count; number = next++) {
      const named = { 'Content-Type': 'application/json', 'Idempotency-Key': `size-${number}`, ...headers };
      const response = await fetch(receiver.url + path, { method: 'POST', headers: named, body: leadBody(number) });
      await response.arrayBuffer();
      if (response.status !== 202) throw new Error(`A delivery was answered with ${response.status}.`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, postOnAndOn));
  const open = `SELECT count(*)::integer AS n FROM workflow_runs WHERE status <> 'succeeded'`;
  while ((await database.admin.query<{ n: number }>(open)).rows[0]!.n > 0) await pause(pollMs);
  return {
    postgresVersion: bed.postgresVersion,
    deliveries: count,
    tables: await listTableSizes(database.admin, tables),
  };
}
