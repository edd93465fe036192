import { statement } from '@relata/db';

export interface Run {
  id: string;
  nonce: string;
  status: string;
  /** Number of accounts that are named after the delivery, and of their events `account.created`. */
  accounts: number;
  events: number;
}

/** Lists every delivery with its runs. Each delivery should have one run. */
export const listRuns = statement<Run>(
  '',
  `SELECT r.id, convert_from(d.body, 'UTF8')::json ->> 'nonce' AS nonce, coalesce(r.status, 'none') AS status,
     (SELECT count(*)::int FROM accounts a WHERE a.account_name = convert_from(d.body, 'UTF8')::json ->> 'nonce') AS accounts,
     (SELECT count(*)::int FROM accounts a JOIN events e ON e.org_id = a.org_id AND e.record_id = a.id
      WHERE a.account_name = convert_from(d.body, 'UTF8')::json ->> 'nonce' AND e.type = 'account.created') AS events
   FROM webhook_deliveries d LEFT JOIN workflow_runs r ON r.org_id = d.org_id AND r.delivery_id = d.id`,
);

/** Lists the accounts that the API created, without those of runs. */
export const listCreated = statement<{ name: string }>(
  '',
  "SELECT account_name AS name FROM accounts WHERE account_name LIKE 'c-%'",
);
