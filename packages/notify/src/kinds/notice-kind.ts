import type { FormField } from '@relata/channel';
import type { Db } from '@relata/db';

/** A cause, with the number of events since the last message about it. */
export interface Notice {
  kind: string;
  /** Values that identify the cause, such as trigger, workflow, input and code. Each kind defines its own. */
  cause: string[];
  /** Counts by detail, such as the reason of a refusal; the key is empty if there is no detail. */
  counts: Record<string, number>;
  /** Id of the newest affected object, such as a run. */
  example: string | null;
  since: string;
  last_at: string;
}

/** Text of a notice. */
interface NoticeText {
  title: string;
  fields: readonly FormField[];
  /** Text from outside, such as an error message, shown below the fields with its line breaks. */
  note?: { label: string; text: string } | undefined;
  /** CLI command that shows the details. */
  whole: string;
  /** Path of the page in the console. */
  page?: string | undefined;
}

export interface NoticeKind {
  /**
   * Collects what happened since the last round into notices: at most `batchRows` rows for each of `organizationsMax`
   * organizations. `is_full` is true if there may be more. Omitted for a kind whose notices are written elsewhere.
   */
  collect?(db: Db, quietMs: number): Promise<{ is_full: boolean }>;
  /** Returns the text of a notice. Names in it come from users and are not trusted. */
  describe(db: Db, orgId: string, notice: Notice): Promise<NoticeText>;
  /** Plural noun for the counted objects, such as `failed runs`, for a message about many causes. */
  counted: string;
}

/** Maximum number of rows of one organization in a round, so that its statement ends within milliseconds. */
export const batchRows = 1_000;

/** Maximum number of organizations in a round; the others are handled in the next round, which begins immediately. */
export const organizationsMax = 50;

/**
 * SQL that selects channels `c` with something to collect, in random order so that no channel is left out every time.
 * It locks them, so that a channel that is being removed gets no notice.
 */
export const channelsWith = (source: string) => `SELECT c.org_id FROM notify_channels c
     WHERE EXISTS (SELECT FROM ${source})
     ORDER BY random() LIMIT ${organizationsMax} FOR KEY SHARE SKIP LOCKED`;

/** SQL that returns true if the CTE `channels` or `taken` reached its limit, so there may be more to collect. */
export const isFull = `SELECT coalesce(max(n) >= ${batchRows}, false)
     OR count(*) > 0 AND (SELECT count(*) FROM channels) >= ${organizationsMax} AS is_full
   FROM (SELECT count(*) AS n FROM taken GROUP BY org_id) c`;

/** SQL for the present. Columns have milliseconds, and PostgreSQL would round `now()` up to a time that is not due yet. */
export const dueNow = "date_trunc('milliseconds', now())";

/**
 * SQL that adds the rows of the CTE `causes` to the notices of a kind; $1 is the time between two messages, in ms.
 * Locks the notices in a fixed order. `causes` has `org_id`, `cause`, `counts`, `example`, `since` and `last_at`.
 */
export const addCauses = (
  kind: string,
) => `INSERT INTO notices AS n (org_id, kind, cause, waiting, example, since, last_at, due_at)
   SELECT org_id, '${kind}', cause, counts, example, since, last_at, ${dueNow} FROM causes ORDER BY org_id, cause
   ON CONFLICT (org_id, kind, cause) DO UPDATE SET
     waiting = add_counts(n.waiting, excluded.waiting), example = excluded.example, last_at = excluded.last_at,
     since = CASE WHEN n.due_at IS NULL THEN excluded.since ELSE n.since END,
     due_at = coalesce(n.due_at, greatest(${dueNow}, n.sent_at + make_interval(secs => $1::float8 / 1000)))`;

/** Returns the sum of the counts. */
export const total = ({ counts }: Pick<Notice, 'counts'>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

/** Returns the time span of a notice as text to append to a field: `, from … to … UTC`. */
export function span({ since, last_at: last }: Notice): string {
  const [first, end] = [minute(since), minute(last)];
  return first === end ? `, at ${end} UTC` : `, from ${first} to ${end} UTC`;
}

const minute = (time: string) => new Date(time).toISOString().slice(0, 16).replace('T', ' ');
