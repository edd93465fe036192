import { findValueWith, readWith } from '@relata/db';
import { addCauses, batchRows, channelsWith, isFull, type NoticeKind, span, total } from './notice-kind.ts';

/**
 * Collects the counts of refused posts that were not reported yet. Skips rows that the receiver is writing, so that
 * this statement never waits for a lock. The next round takes them.
 */
const collect = readWith<{ is_full: boolean }, [quietMs: number]>(
  'notices.collect_refusals',
  `WITH channels AS MATERIALIZED (
     ${channelsWith('webhook_refusal_counts r WHERE r.org_id = c.org_id AND r.refused > r.reported')}
   ), taken AS MATERIALIZED (
     SELECT r.* FROM channels c CROSS JOIN LATERAL (
       SELECT org_id, trigger_id, day, reason, refused - reported AS n, last_refused_at FROM webhook_refusal_counts r
       WHERE r.org_id = c.org_id AND r.refused > r.reported
       ORDER BY trigger_id, reason LIMIT ${batchRows} FOR UPDATE SKIP LOCKED
     ) r
   ), done AS (
     UPDATE webhook_refusal_counts r SET reported = r.reported + t.n FROM taken t
     WHERE r.org_id = t.org_id AND r.trigger_id = t.trigger_id AND r.day = t.day AND r.reason = t.reason
   ), reasons AS (
     SELECT org_id, trigger_id, reason, sum(n) AS n, max(last_refused_at) AS last_at FROM taken
     -- Ignores requests other than posts, such as those of a browser, and posts of "basic" senders that authenticate
     -- only when asked.
     WHERE reason <> 'method_not_allowed' AND NOT (reason = 'no_signature' AND EXISTS (
       SELECT FROM webhook_triggers t
       WHERE t.org_id = taken.org_id AND t.id = taken.trigger_id AND t.signature ->> 'kind' = 'basic'))
     GROUP BY 1, 2, 3
   ), causes AS (
     SELECT org_id, json_build_array(trigger_id)::text AS cause, jsonb_object_agg(reason, n) AS counts,
       NULL::uuid AS example, min(last_at) AS since, max(last_at) AS last_at
     FROM reasons GROUP BY org_id, trigger_id
   ), added AS (
     ${addCauses('refusing_trigger')}
   )
   ${isFull}`,
);

const findName = findValueWith<string, [orgId: string, triggerId: string]>(
  'notices.trigger_name',
  'SELECT name FROM webhook_triggers WHERE org_id = $1 AND id = $2',
);

/** Maximum number of reasons that a message names; the others are summed up. */
const reasonsMax = 5;

/** Posts that a trigger refused. The cause is the trigger; the counts are by reason. */
export const refusingTrigger: NoticeKind = {
  counted: 'refused posts',
  collect,
  async describe(db, orgId, notice) {
    const [id] = notice.cause as [string];
    return {
      title: 'A trigger refuses posts',
      fields: [
        { label: 'Trigger', value: (await findName(db, orgId, id)) ?? id },
        { label: 'Refused posts', value: `${total(notice)}${span(notice)}` },
        { label: 'Reasons', value: reasonsText(notice.counts) },
      ],
      whole: `relata triggers show ${id}`,
      page: `/triggers/${id}`,
    };
  },
};

function reasonsText(counts: Record<string, number>): string {
  const sorted = Object.entries(counts).toSorted(([, a], [, b]) => b - a);
  const others = sorted.slice(reasonsMax).reduce((sum, [, count]) => sum + count, 0);
  const named = sorted.slice(0, reasonsMax).map(([reason, count]) => `${reason} (${count})`);
  return [...named, ...(others > 0 ? [`others (${others})`] : [])].join(', ');
}
