import type { Migration } from '../migration.ts';

/** Demo requests of visitors of the chat, whether the team has been notified, and the usage of the chat. */
export const demoRequests: Migration = {
  name: '007-demo-requests',
  sql: `
    CREATE TABLE demo_requests (
      org_id uuid NOT NULL REFERENCES organizations (id),
      id uuid NOT NULL,
      name text NOT NULL,
      work_email text NOT NULL,
      company text,
      team_size text,
      crm text,
      use_case text,
      message text,
      -- pending: nobody has tried to send it. in_doubt: it may be in the channel, or not. failed: it surely is not.
      -- An attempt makes it in_doubt before anything leaves, so that this is what a process leaves that is killed.
      status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'in_doubt', 'failed', 'sent')),
      -- Raised by every attempt; what was begun under a lower number may not say that it failed.
      attempts integer NOT NULL DEFAULT 0,
      last_attempt_at timestamptz(3),
      -- Until then an attempt is under way, and nobody else begins one.
      claimed_until timestamptz(3),
      -- Why the last attempt failed: { code, message, status }, where status is what the channel answered.
      last_error json,
      sent_at timestamptz(3),
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (org_id, id)
    );
    CREATE INDEX demo_requests_unsent ON demo_requests (org_id, id) WHERE status <> 'sent';

    CREATE TABLE chat_usage (
      org_id uuid NOT NULL REFERENCES organizations (id),
      -- In UTC.
      day date NOT NULL,
      tokens bigint NOT NULL,
      PRIMARY KEY (org_id, day)
    );
  `,
};
