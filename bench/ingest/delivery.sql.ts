import { vacuum } from '../past.sql.ts';
import type { IngestDatabase } from './ingest-database.ts';

export async function countDeliveries({ admin }: IngestDatabase): Promise<number> {
  const { rows } = await admin.query<{ n: string }>('SELECT count(*) AS n FROM webhook_deliveries');
  return Number(rows[0]!.n);
}

/** Deletes the rows of a round. The checkpoint is made now, so that it does not disturb the next round. */
export async function clearDeliveries({ admin }: IngestDatabase): Promise<void> {
  const keys = 'webhook_delivery_keys, webhook_signed_posts';
  await admin.query(`TRUNCATE webhook_deliveries, ${keys}, workflow_runs, workflow_run_steps`);
  await admin.query('CHECKPOINT');
}

/** Vacuums after inserts, as autovacuum would at an unpredictable moment. */
export async function tidyUp({ admin }: IngestDatabase): Promise<void> {
  const records = ['contacts', 'custom_activities', 'custom_activity_contacts', 'record_counts'];
  await vacuum(admin, 'webhook_deliveries', 'workflow_runs', 'workflow_run_steps', ...records);
}
