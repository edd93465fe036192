import { type Db, onlyRow, statement } from '@relata/db';
import type { ChangeKind } from '@relata/schemas/console';

/** An opaque string per kind of data, which changes when the data changes. */
export type ChangeMarks = Record<ChangeKind, string>;

/**
 * Number of newest rows that are compared per kind. A single row is not enough, because a row may be committed after
 * newer rows.
 */
const looked = 50;

/**
 * Computes the marks with a few short index scans. The version of a row (`xmin`) changes with each update, so every
 * step of the newest runs changes the mark. An older run changes it only when it joins or leaves the newest failed
 * runs.
 */
const read = statement<ChangeMarks>(
  'console.change_marks',
  `SELECT
     (SELECT coalesce(hashtextextended(string_agg(id::text, ''), 0), 0)::text FROM (
        SELECT id FROM webhook_deliveries WHERE org_id = $1 ORDER BY id DESC LIMIT ${looked}) d) AS deliveries,
     (SELECT coalesce(hashtextextended(string_agg(version, ''), 0), 0)::text FROM (
        (SELECT id::text || xmin::text AS version FROM workflow_runs
         WHERE org_id = $1 ORDER BY id DESC LIMIT ${looked})
        UNION ALL
        (SELECT id::text FROM workflow_runs
         WHERE org_id = $1 AND status = 'failed' ORDER BY id DESC LIMIT ${looked})) r) AS runs,
     (SELECT coalesce(hashtextextended(string_agg(seq::text, ','), 0), 0)::text FROM (
        SELECT seq FROM events WHERE org_id = $1 ORDER BY seq DESC LIMIT ${looked}) e) AS events`,
);

export const readChangeMarks = (db: Db, orgId: string): Promise<ChangeMarks> => onlyRow(db, read, [orgId]);
