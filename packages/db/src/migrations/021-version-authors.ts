import type { Migration } from '../migration.ts';

/** Author and note of each version of a workflow; they are kept as long as the version, while events expire. */
export const versionAuthors: Migration = {
  name: '021-version-authors',
  sql: `
    -- In the format of actor in events; NULL for an earlier version whose event was deleted.
    ALTER TABLE workflow_versions ADD COLUMN applied_by json, ADD COLUMN note text;

    UPDATE workflow_versions v SET applied_by = e.actor FROM events e
    WHERE e.org_id = v.org_id AND e.record_id = v.workflow_id AND e.type = 'workflow.applied'
      AND (e.record->>'version')::integer = v.version;
  `,
};
