import type { ChannelKind } from '@relata/channel';
import { findWith } from '@relata/db';

/** The team channel of an organization. Its URL is never shown. */
export interface NotifyChannel {
  org_id: string;
  kind: ChannelKind;
  host: string;
  /** Last characters of the URL; empty for a short one. */
  last_four: string;
  /** Time of the last successful message; null if there was none. */
  last_sent_at: string | null;
  /** Why the last attempt failed; null after a success. */
  last_error: { code: string; message: string } | null;
  /** Number of causes whose message has not been sent yet. */
  waiting: number;
  /** Outcome of the last test message; null if its notice was dropped or there was none. */
  test: 'waiting' | 'sent' | 'failed' | null;
  created_at: string;
  updated_at: string;
}

const columns = 'c.org_id, c.kind, c.host, c.last_four, c.last_sent_at, c.last_error, c.created_at, c.updated_at';

/** Columns of a channel `c`. A test notice that is no longer due was sent or has failed. */
export const shownColumns = `${columns},
  (SELECT count(*)::integer FROM notices n WHERE n.org_id = c.org_id AND n.due_at IS NOT NULL AND n.kind <> 'test') AS waiting,
  (SELECT CASE WHEN t.due_at IS NOT NULL THEN 'waiting' WHEN t.sent_at >= t.since THEN 'sent' ELSE 'failed' END
   FROM notices t WHERE t.org_id = c.org_id AND t.kind = 'test') AS test`;

export const findNotifyChannel = findWith<NotifyChannel, [orgId: string]>(
  'notify_channels.find',
  `SELECT ${shownColumns} FROM notify_channels c WHERE c.org_id = $1`,
);
