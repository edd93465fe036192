import { findWith, readWith } from '@relata/db';
import { addCauses, batchRows, channelsWith, isFull, type NoticeKind, span, total } from './notice-kind.ts';

/** Maximum length of each value of a cause, which is part of an index. Inputs and codes are far shorter. */
const charsMax = 500;

/**
 * Collects the notes of refused starts, except those of deliveries that were replayed meanwhile and those of ignored
 * problems.
 */
const collect = readWith<{ is_full: boolean }, [quietMs: number]>(
  'notices.collect_refused_starts',
  `WITH channels AS MATERIALIZED (
     ${channelsWith('refused_start_notes f WHERE f.org_id = c.org_id')}
   ), taken AS MATERIALIZED (
     SELECT f.org_id, f.delivery_id FROM channels c CROSS JOIN LATERAL (
       SELECT org_id, delivery_id FROM refused_start_notes f WHERE f.org_id = c.org_id
       ORDER BY delivery_id LIMIT ${batchRows} FOR UPDATE SKIP LOCKED
     ) f
   ), done AS (
     DELETE FROM refused_start_notes f USING taken t WHERE f.org_id = t.org_id AND f.delivery_id = t.delivery_id
   ), refused AS (
     SELECT d.org_id, d.id, d.received_at, d.trigger_id, s.each ->> 'workflow_id' AS workflow_id,
       left(p.each ->> 'input', ${charsMax}) AS input, p.each ->> 'code' AS code
     FROM taken t CROSS JOIN LATERAL (
       SELECT * FROM webhook_deliveries d WHERE d.org_id = t.org_id AND d.id = t.delivery_id AND d.has_refused LIMIT 1
     ) d CROSS JOIN LATERAL json_array_elements(d.skipped) AS s (each)
       CROSS JOIN LATERAL json_array_elements(s.each -> 'problems') AS p (each)
     WHERE s.each ->> 'reason' = 'refused'
   ), causes AS (
     SELECT r.org_id, json_build_array(r.trigger_id, r.workflow_id, r.input, r.code)::text AS cause,
       jsonb_build_object('', count(*)) AS counts, (array_agg(r.id ORDER BY r.id DESC))[1] AS example,
       min(r.received_at) AS since, max(r.received_at) AS last_at
     FROM refused r WHERE NOT EXISTS (
       SELECT FROM problem_states s WHERE s.org_id = r.org_id AND s.workflow_id = r.workflow_id::uuid
         AND s.step = r.trigger_id || '/' || r.input AND s.code = r.code AND s.state = 'ignored'
     ) GROUP BY r.org_id, r.trigger_id, r.workflow_id, r.input, r.code
   ), added AS (
     ${addCauses('refused_start')}
   )
   ${isFull}`,
);

const findNames = findWith<
  { trigger: string; workflow: string },
  [orgId: string, triggerId: string, workflowId: string]
>(
  'notices.names_of_start',
  `SELECT t.name AS trigger, w.name AS workflow FROM webhook_triggers t JOIN workflows w ON w.org_id = t.org_id
   WHERE t.org_id = $1 AND t.id = $2 AND w.id = $3`,
);

/** Accepted deliveries that do not satisfy an input of a workflow. The cause is trigger, workflow, input and code. */
export const refusedStart: NoticeKind = {
  counted: 'deliveries without an input',
  collect,
  async describe(db, orgId, notice) {
    const [triggerId, workflowId, input, code] = notice.cause as [string, string, string, string];
    const names = await findNames(db, orgId, triggerId, workflowId);
    const id = notice.example ?? '-';
    return {
      title: 'A workflow did not start',
      fields: [
        { label: 'Workflow', value: names?.workflow ?? workflowId },
        { label: 'Trigger', value: names?.trigger ?? triggerId },
        { label: 'Input', value: input },
        { label: 'Error', value: code },
        { label: 'Deliveries', value: `${total(notice)}${span(notice)}` },
        { label: 'Latest delivery', value: id },
      ],
      whole: `relata deliveries show ${id}`,
      page: `/deliveries?id=${id}`,
    };
  },
};
