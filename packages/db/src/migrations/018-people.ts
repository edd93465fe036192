import type { Migration } from '../migration.ts';

/**
 * People who can sign in to the console. People, their sessions and one-time links belong to the installation. A
 * membership belongs to an organization, and refers to one of its users.
 */
export const people: Migration = {
  name: '018-people',
  sql: `
    CREATE TABLE people (
      id uuid PRIMARY KEY,
      email text NOT NULL,
      -- The email in lower case, so that no address occurs twice.
      email_key text NOT NULL UNIQUE,
      name text NOT NULL,
      -- Argon2id as a PHC string; NULL if the person has no password.
      password_hash text,
      -- True if the person may do everything in every organization.
      is_operator boolean NOT NULL DEFAULT false,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3) NOT NULL DEFAULT now()
    );

    CREATE TABLE memberships (
      org_id uuid NOT NULL REFERENCES organizations (id),
      person_id uuid NOT NULL REFERENCES people (id),
      user_id uuid NOT NULL,
      role text NOT NULL CHECK (role IN ('viewer', 'member', 'admin')),
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (org_id, person_id),
      UNIQUE (org_id, user_id),
      FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id)
    );
    CREATE INDEX memberships_person ON memberships (person_id);

    CREATE TABLE sessions (
      id uuid PRIMARY KEY,
      -- SHA-256 of the 32 random bytes that the browser has.
      token_hash bytea NOT NULL UNIQUE CHECK (length(token_hash) = 32),
      person_id uuid NOT NULL REFERENCES people (id),
      ip text NOT NULL,
      user_agent text NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      -- Accurate to a few minutes, since not every request writes it.
      seen_at timestamptz(3) NOT NULL DEFAULT now(),
      expires_at timestamptz(3) NOT NULL,
      ended_at timestamptz(3)
    );
    CREATE INDEX sessions_person ON sessions (person_id, id);
    CREATE INDEX sessions_end ON sessions (expires_at);

    CREATE TABLE links (
      token_hash bytea PRIMARY KEY CHECK (length(token_hash) = 32),
      kind text NOT NULL CHECK (kind IN ('setup', 'invite', 'reset', 'local')),
      -- For an invitation: the organization, the user and the role.
      org_id uuid,
      user_id uuid,
      role text CHECK (role IN ('viewer', 'member', 'admin')),
      -- The person who is signed in by a reset or a local start.
      person_id uuid REFERENCES people (id),
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      expires_at timestamptz(3) NOT NULL,
      used_at timestamptz(3),
      CHECK ((kind = 'invite') = (org_id IS NOT NULL AND user_id IS NOT NULL AND role IS NOT NULL)),
      CHECK ((kind IN ('reset', 'local')) = (person_id IS NOT NULL)),
      FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id)
    );
    CREATE INDEX links_member ON links (org_id, user_id) WHERE kind = 'invite';
    CREATE INDEX links_end ON links (expires_at);
  `,
};
