import { customActivity } from '@relata/schemas';
import { insertLinks, isLinkedTo } from '../table/link-table.ts';
import { recordTable } from '../table/record-table.ts';

const linkTables = {
  contact_ids: { name: 'custom_activity_contacts', record: 'activity_id', linked: 'contact_id' },
  opportunity_ids: { name: 'custom_activity_opportunities', record: 'activity_id', linked: 'opportunity_id' },
};

const isFilter = (column: string) => `${column} = $filter::uuid`;

/** An activity and its links are rows of three tables; one statement inserts them all. */
const insertedParts = `
  linked_contacts AS (${insertLinks(linkTables.contact_ids, 'given', 'contact_ids')}),
  linked_opportunities AS (${insertLinks(linkTables.opportunity_ids, 'given', 'opportunity_ids')}),
  stored AS (
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
  linkTables,
  matches: {},
  filters: {
    contact_id: isLinkedTo(linkTables.contact_ids, isFilter),
    opportunity_id: isLinkedTo(linkTables.opportunity_ids, isFilter),
  },
  insertedParts,
});
