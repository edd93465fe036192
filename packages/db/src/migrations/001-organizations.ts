import type { Migration } from '../migration.ts';

/** Tenants, their members and their keys. */
export const organizations: Migration = {
  name: '001-organizations',
  sql: `
    CREATE TABLE organizations (
      id uuid PRIMARY KEY,
      name text NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3) NOT NULL DEFAULT now()
    );

    CREATE TABLE users (
      org_id uuid NOT NULL REFERENCES organizations (id),
      id uuid NOT NULL,
      email text NOT NULL,
      first_name text NOT NULL,
      last_name text NOT NULL,
      role text NOT NULL,
      status text NOT NULL,
      job_function text,
      job_level text,
      profile_photo text,
      crm_id text,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (org_id, id)
    );

    CREATE TABLE api_keys (
      org_id uuid NOT NULL REFERENCES organizations (id),
      id uuid NOT NULL,
      name text NOT NULL,
      kind text NOT NULL CHECK (kind IN ('secret', 'publishable')),
      prefix text NOT NULL,
      last_four text NOT NULL,
      key_hash bytea NOT NULL,
      scopes text[] NOT NULL
        CHECK (scopes <@ ARRAY['records:read', 'records:write', 'activities:write', 'chat', 'webhook']),
      origins text[] NOT NULL DEFAULT '{}',
      expires_at timestamptz(3),
      revoked_at timestamptz(3),
      last_used_at timestamptz(3),
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (org_id, id),
      CHECK (kind = 'secret' OR scopes = ARRAY['chat'])
    );
    -- The only look-up without an organization: the key determines the organization.
    CREATE UNIQUE INDEX api_keys_key_hash ON api_keys (key_hash);
  `,
};
