import { statement } from '@relata/db';

const marked = (kind: string) => `SELECT id FROM demo_data WHERE org_id = $1 AND kind = '${kind}'`;
const countOf = (name: string, sql: string) =>
  statement<{ n: number }>(name, `WITH gone AS (${sql} RETURNING 1) SELECT count(*)::integer AS n FROM gone`);

/** Locks the runs that demo deliveries have started, also by replays, so that no worker continues them. */
export const lockRuns = statement<{ id: string }>(
  'demo_data.lock_runs',
  `SELECT r.id FROM workflow_runs r
   WHERE r.org_id = $1 AND r.delivery_id IN (${marked('delivery')}) ORDER BY r.id FOR UPDATE`,
);

/** Lists the records that steps of these runs have created, and that nothing but these runs has changed since. */
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

/** Deletes records, referring ones first, together with their events. A record that something else refers to stays. */
export const dropRecords = [
  countOf('demo_data.drop_activities', 'DELETE FROM custom_activities WHERE org_id = $1 AND id = ANY ($2::uuid[])'),
  countOf(
    'demo_data.drop_opportunities',
    `DELETE FROM opportunities o WHERE o.org_id = $1 AND o.id = ANY ($2::uuid[]) AND NOT EXISTS (
       SELECT FROM custom_activity_opportunities l WHERE l.org_id = o.org_id AND l.opportunity_id = o.id)`,
  ),
  countOf(
    'demo_data.drop_contacts',
    `DELETE FROM contacts c WHERE c.org_id = $1 AND c.id = ANY ($2::uuid[]) AND NOT EXISTS (
       SELECT FROM custom_activity_contacts l WHERE l.org_id = c.org_id AND l.contact_id = c.id)`,
  ),
  countOf(
    'demo_data.drop_accounts',
    `DELETE FROM accounts a WHERE a.org_id = $1 AND a.id = ANY ($2::uuid[]) AND NOT EXISTS (
       SELECT FROM opportunities o WHERE o.org_id = a.org_id AND o.account_id = a.id)`,
  ),
];

export const dropEvents = countOf(
  'demo_data.drop_events',
  `DELETE FROM events e WHERE e.org_id = $1 AND e.record_id = ANY ($2::uuid[])
     AND NOT EXISTS (SELECT FROM accounts r WHERE r.org_id = $1 AND r.id = e.record_id)
     AND NOT EXISTS (SELECT FROM contacts r WHERE r.org_id = $1 AND r.id = e.record_id)
     AND NOT EXISTS (SELECT FROM opportunities r WHERE r.org_id = $1 AND r.id = e.record_id)`,
);

export const dropSteps = countOf(
  'demo_data.drop_steps',
  'DELETE FROM workflow_run_steps WHERE org_id = $1 AND run_id = ANY ($2::uuid[])',
);
export const dropRuns = countOf(
  'demo_data.drop_runs',
  'DELETE FROM workflow_runs WHERE org_id = $1 AND id = ANY ($2::uuid[])',
);
export const dropRepeatKeys = countOf(
  'demo_data.drop_repeat_keys',
  `DELETE FROM webhook_delivery_keys WHERE org_id = $1 AND delivery_id IN (${marked('delivery')})`,
);
export const dropSignedPosts = countOf(
  'demo_data.drop_signed_posts',
  `DELETE FROM webhook_signed_posts WHERE org_id = $1 AND delivery_id IN (${marked('delivery')})`,
);
export const dropDeliveries = countOf(
  'demo_data.drop_deliveries',
  `DELETE FROM webhook_deliveries WHERE org_id = $1 AND id IN (${marked('delivery')})`,
);
export const dropDemoRequests = countOf(
  'demo_data.drop_demo_requests',
  `DELETE FROM demo_requests WHERE org_id = $1 AND id IN (${marked('demo_request')})`,
);

/** Locks the triggers that have no delivery left, since nobody else has posted to them. */
export const lockUnusedTriggers = statement<{ id: string }>(
  'demo_data.lock_triggers',
  `SELECT t.id FROM webhook_triggers t WHERE t.org_id = $1 AND t.id IN (${marked('trigger')}) AND NOT EXISTS (
     SELECT FROM webhook_deliveries d WHERE d.trigger_id = t.id AND d.org_id IS NOT DISTINCT FROM t.org_id
   ) ORDER BY t.id FOR UPDATE`,
);

const ofTriggers = (table: string) =>
  countOf(`demo_data.drop_${table}`, `DELETE FROM ${table} WHERE org_id = $1 AND trigger_id = ANY ($2::uuid[])`);

export const dropOfTriggers = [
  'trigger_workflows',
  'webhook_trigger_secrets',
  'webhook_signing_secrets',
  'webhook_signed_posts',
  'webhook_refusals',
  'webhook_refusal_counts',
].map(ofTriggers);

export const dropTriggers = countOf(
  'demo_data.drop_triggers',
  'DELETE FROM webhook_triggers WHERE org_id = $1 AND id = ANY ($2::uuid[])',
);

/** Locks the workflows without a newer version that nothing starts or runs any more. */
export const lockUnusedWorkflows = statement<{ id: string }>(
  'demo_data.lock_workflows',
  `SELECT w.id FROM workflows w
   WHERE w.org_id = $1 AND w.id IN (${marked('workflow')}) AND w.version = 1
     AND NOT EXISTS (SELECT FROM trigger_workflows a WHERE a.org_id = w.org_id AND a.workflow_id = w.id)
     AND NOT EXISTS (SELECT FROM workflow_runs r WHERE r.org_id = w.org_id AND r.workflow_id = w.id)
   ORDER BY w.id FOR UPDATE`,
);

export const dropVersions = countOf(
  'demo_data.drop_versions',
  'DELETE FROM workflow_versions WHERE org_id = $1 AND workflow_id = ANY ($2::uuid[])',
);
export const dropWorkflows = countOf(
  'demo_data.drop_workflows',
  'DELETE FROM workflows WHERE org_id = $1 AND id = ANY ($2::uuid[])',
);

export const dropMarks = countOf('demo_data.drop_marks', 'DELETE FROM demo_data WHERE org_id = $1');
