import { statement } from '@relata/db';

const marked = (kind: string) => `SELECT id FROM demo_data WHERE org_id = $1 AND kind = '${kind}'`;

const drop = (table: string, condition: string, name = table) =>
  statement<{ n: number }>(
    `demo_data.drop_${name}`,
    `WITH gone AS (DELETE FROM ${table} r WHERE r.org_id = $1 AND ${condition} RETURNING 1)
     SELECT count(*)::integer AS n FROM gone`,
  );
const dropIn = (table: string, column = 'id') => drop(table, `r.${column} = ANY ($2::uuid[])`);
const dropMarked = (table: string, kind: string, column = 'id') =>
  drop(table, `r.${column} IN (${marked(kind)})`, `marked_${table}`);

/** Locks the runs that demo deliveries have started, also by replays, so that no worker continues them. */
export const lockRuns = statement<{ id: string }>(
  'demo_data.lock_runs',
  `SELECT r.id FROM workflow_runs r
   WHERE r.org_id = $1 AND r.delivery_id IN (${marked('delivery')}) ORDER BY r.id FOR UPDATE`,
);

/** Lists the records that steps of these runs created and that nothing else has changed since. */
export const listRecords = statement<{ id: string }>(
  'demo_data.list_records',
  `SELECT w.id FROM (
     SELECT DISTINCT (s.output ->> 'id')::uuid AS id FROM workflow_run_steps s
     WHERE s.org_id = $1 AND s.run_id = ANY ($2::uuid[]) AND s.status = 'succeeded'
       AND s.use IN ('account.create', 'account.upsert', 'contact.create', 'contact.upsert', 'opportunity.create',
         'opportunity.upsert', 'activity.create')
   ) w CROSS JOIN LATERAL (
     SELECT bool_or(e.type LIKE '%.created') AS is_created,
       bool_and(coalesce(e.actor ->> 'type' = 'run' AND e.actor ->> 'id' = ANY ($2::text[]), false)) AS is_ours
     FROM events e WHERE e.org_id = $1 AND e.record_id = w.id
   ) e WHERE e.is_created AND e.is_ours`,
);

const named = (table: string, column: string) => `SELECT l.${column} FROM ${table} l WHERE l.org_id = $1`;

/**
 * Deletes records that no other record refers to. Each query in `ids` returns the ids that another table refers to, and
 * runs once.
 */
const dropUnnamed = (table: string, ...ids: string[]) =>
  drop(table, ['r.id = ANY ($2::uuid[])', ...ids.map((each) => `r.id NOT IN (${each})`)].join(' AND '));

/** Locks contacts, so that no opportunity can refer to one between the check and the delete. */
export const lockContacts = statement(
  'demo_data.lock_contacts',
  'SELECT FROM contacts WHERE org_id = $1 AND id = ANY ($2::uuid[]) ORDER BY id FOR UPDATE',
);

/** Deletes records, starting with those that refer to others. Keeps a record that another record still refers to. */
export const dropRecords = [
  dropIn('custom_activities'),
  dropUnnamed('opportunities', named('custom_activity_opportunities', 'opportunity_id')),
  dropUnnamed(
    'contacts',
    named('custom_activity_contacts', 'contact_id'),
    'SELECT unnest(l.contact_ids) FROM opportunities l WHERE l.org_id = $1 AND l.contact_ids && $2::uuid[]',
  ),
  dropUnnamed(
    'accounts',
    named('opportunities', 'account_id'),
    `${named('contacts', 'account_id')} AND l.account_id IS NOT NULL`,
  ),
];

const isGone = (table: string) => `NOT EXISTS (SELECT FROM ${table} l WHERE l.org_id = $1 AND l.id = r.record_id)`;

/** Deletes the events of these records, except those of records that were kept. */
export const dropEvents = drop(
  'events',
  ['r.record_id = ANY ($2::uuid[])', ...['accounts', 'contacts', 'opportunities'].map(isGone)].join(' AND '),
);

export const dropRuns = [dropIn('workflow_run_steps', 'run_id'), dropIn('workflow_runs')];

export const dropDeliveries = [
  dropMarked('webhook_delivery_keys', 'delivery', 'delivery_id'),
  dropMarked('webhook_signed_posts', 'delivery', 'delivery_id'),
  dropMarked('webhook_deliveries', 'delivery'),
];

export const dropDemoRequests = dropMarked('demo_requests', 'demo_request');

/** Locks the demo triggers that have no deliveries left, because only the demo has posted to them. */
export const lockUnusedTriggers = statement<{ id: string }>(
  'demo_data.lock_triggers',
  `SELECT t.id FROM webhook_triggers t WHERE t.org_id = $1 AND t.id IN (${marked('trigger')}) AND NOT EXISTS (
     SELECT FROM webhook_deliveries d WHERE d.trigger_id = t.id AND d.org_id IS NOT DISTINCT FROM t.org_id
   ) ORDER BY t.id FOR UPDATE`,
);

const ofTriggers = [
  'trigger_workflows',
  'webhook_trigger_secrets',
  'webhook_signing_secrets',
  'webhook_signed_posts',
  'webhook_refusals',
  'webhook_refusal_counts',
];

export const dropTriggers = [...ofTriggers.map((table) => dropIn(table, 'trigger_id')), dropIn('webhook_triggers')];

/** Locks the demo workflows that have only version 1, no trigger and no run. */
export const lockUnusedWorkflows = statement<{ id: string }>(
  'demo_data.lock_workflows',
  `SELECT w.id FROM workflows w
   WHERE w.org_id = $1 AND w.id IN (${marked('workflow')}) AND w.version = 1
     AND NOT EXISTS (SELECT FROM trigger_workflows a WHERE a.org_id = w.org_id AND a.workflow_id = w.id)
     AND NOT EXISTS (SELECT FROM workflow_runs r WHERE r.org_id = w.org_id AND r.workflow_id = w.id)
   ORDER BY w.id FOR UPDATE`,
);

export const dropWorkflows = [dropIn('workflow_versions', 'workflow_id'), dropIn('workflows')];

export const dropMarks = drop('demo_data', 'true');
