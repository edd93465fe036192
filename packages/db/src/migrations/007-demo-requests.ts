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
      -- pending: nobody has tried to send it. in_doubt: it may have reached the channel. failed: it has not.
      -- An attempt sets in_doubt before it sends anything, so that a killed process leaves this status.
      status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'in_doubt', 'failed', 'sent')),
      -- Increased by every attempt. An attempt with a lower number must not set the status failed.
      attempts integer NOT NULL DEFAULT 0,
      last_attempt_at timestamptz(3),
      -- Until this time an attempt is in progress, and no other attempt begins.
      claimed_until timestamptz(3),
      -- Why the last attempt failed: { code, message, status }. The status is that of the channel's response.
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
