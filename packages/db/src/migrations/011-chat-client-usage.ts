import type { Migration } from '../migration.ts';

/** Usage of each client, which has a share of its organization's tokens. */
export const chatClientUsage: Migration = {
  name: '011-chat-client-usage',
  sql: `
    CREATE TABLE chat_client_usage (
      org_id uuid NOT NULL REFERENCES organizations (id),
      -- In UTC. Rows are dropped once their day is over.
      day date NOT NULL,
      -- A keyed hash of the address that changes each day, since an address is personal data.
      client bytea NOT NULL CHECK (length(client) = 16),
      tokens bigint NOT NULL,
      PRIMARY KEY (org_id, day, client)
    );
    -- Rows of past days are deleted for all organizations together.
    CREATE INDEX chat_client_usage_day ON chat_client_usage (day);
  `,
};
