import { customActivity } from '@relata/schemas';
import { recordTable } from '../table/record-table.ts';

/** Returns SQL for the ids linked to the activity `r`, in the order in which they were sent. */
function linkedIds(table: string, column: string): string {
  return `ARRAY(SELECT l.${column} FROM ${table} l WHERE l.org_id = r.org_id AND l.activity_id = r.id ORDER BY l.position)`;
}

/** Returns a condition that starts from the links, since one contact has few of them while there are many in all. */
function isLinked(table: string, column: string): string {
  return `r.id IN (SELECT l.activity_id FROM ${table} l WHERE l.org_id = $1 AND l.${column} = $filter::uuid)`;
}

/** An activity and its links are rows of three tables; one statement inserts them all. */
const insertSql = `
  linked_contacts AS (
    INSERT INTO custom_activity_contacts (org_id, activity_id, contact_id, position)
    SELECT given.org_id, given.id, link.id, link.position FROM given, unnest(contact_ids) WITH ORDINALITY AS link (id, position)
  ), linked_opportunities AS (
    INSERT INTO custom_activity_opportunities (org_id, activity_id, opportunity_id, position)
    SELECT given.org_id, given.id, link.id, link.position FROM given, unnest(opportunity_ids) WITH ORDINALITY AS link (id, position)
  ), stored AS (
    INSERT INTO custom_activities (org_id, id, content, direction, source, tags, date_time, owner_id)
    SELECT org_id, id, content, direction, coalesce(source, 'api'), coalesce(tags, '{}'), coalesce(date_time, now()), owner_id
    FROM given
    RETURNING *
  ), inserted AS (
    SELECT r.id, r.content, r.interaction_type, r.direction, r.source, r.tags, r.date_time, r.owner_id,
      coalesce(g.contact_ids, '{}') AS contact_ids, coalesce(g.opportunity_ids, '{}') AS opportunity_ids,
      r.created_at, r.updated_at
    FROM stored r JOIN given g USING (org_id, id)
  )`;

export const customActivities = recordTable(customActivity, {
  // The content alone may take 400 KB.
  hasLargeRows: true,
  derived: {
    contact_ids: linkedIds('custom_activity_contacts', 'contact_id'),
    opportunity_ids: linkedIds('custom_activity_opportunities', 'opportunity_id'),
  },
  matches: {},
  filters: {
    contact_id: isLinked('custom_activity_contacts', 'contact_id'),
    opportunity_id: isLinked('custom_activity_opportunities', 'opportunity_id'),
  },
  insertSql,
});
