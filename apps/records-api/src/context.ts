import type { Database } from '@relata/db';
import type { RecordInserts, RecordLists } from '@relata/records';
import type { RateLimit } from '@relata/runtime';

/** What handlers need of the world; infrastructure only, so that a new resource never edits it. */
export interface RecordsContext {
  database: Database;
  inserts: RecordInserts;
  lists: RecordLists;
  rateLimit: RateLimit;
}
