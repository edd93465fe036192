import { listWith, readWith, statement } from '@relata/db';

export interface RestoredContent {
  organizations: number;
  deliveries: number;
  runs: number;
  /** Time of the newest event. Changes after this time are lost. */
  newest_event: string | null;
}

export const readContent = readWith<RestoredContent>(
  'restore.content',
  `SELECT (SELECT count(*)::int FROM organizations) AS organizations,
     (SELECT count(*)::float8 FROM webhook_deliveries) AS deliveries,
     (SELECT count(*)::float8 FROM workflow_runs) AS runs,
     (SELECT max(created_at) FROM events) AS newest_event`,
);

/** Lists the kinds of records, each with the stored total that lists show. */
export const listTotals = listWith<{ resource: string; total: number }>(
  'restore.totals',
  'SELECT resource, sum(n)::float8 AS total FROM record_counts GROUP BY resource ORDER BY resource',
);

/** Counts the rows of a kind of record. The table has the name of the kind. */
export const countRecords = (resource: string) =>
  readWith<{ counted: number }>('', `SELECT count(*)::float8 AS counted FROM "${resource.replaceAll('"', '""')}"`);

/** Collects statistics of the new tables. Without statistics the planner scans whole tables. */
export const analyzeAll = statement<never>('restore.analyze', 'ANALYZE');
