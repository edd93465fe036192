import type { Migration } from '../migration.ts';

/** Tables of the CRM's records. Filters compare a hash first, since a text can be too long for an index row. */
export const records: Migration = {
  name: '002-records',
  sql: `
    CREATE TABLE accounts (
      org_id uuid NOT NULL REFERENCES organizations (id),
      id uuid NOT NULL,
      account_name text NOT NULL,
      domain text,
      linkedin_url text,
      address text,
      city text,
      state text,
      country text,
      relationship_type text CHECK (relationship_type IN ('prospect', 'customer', 'partner', 'investor')),
      sales_status text
        CHECK (sales_status IN ('lead', 'working', 'pipeline', 'renewal_growth', 'closed_lost', 'churned')),
      icp_label text,
      tags text[] NOT NULL DEFAULT '{}',
      crm_id text,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (org_id, id)
    );
    CREATE INDEX accounts_domain ON accounts (org_id, hashtextextended(lower(domain), 0), id)
      WHERE domain IS NOT NULL;

    CREATE TABLE contacts (
      org_id uuid NOT NULL REFERENCES organizations (id),
      id uuid NOT NULL,
      first_name text NOT NULL,
      middle_name text,
      last_name text NOT NULL,
      title text,
      email text,
      phone text,
      company text,
      linkedin_url text,
      location text,
      city text,
      state text,
      country text,
      tags text[] NOT NULL DEFAULT '{}',
      icp_label text,
      crm_id text,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (org_id, id)
    );
    CREATE INDEX contacts_email ON contacts (org_id, hashtextextended(lower(email), 0), id)
      WHERE email IS NOT NULL;

    CREATE TABLE pipelines (
      org_id uuid NOT NULL REFERENCES organizations (id),
      id uuid NOT NULL,
      name text NOT NULL,
      active boolean NOT NULL,
      is_default boolean NOT NULL,
      crm_id text,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (org_id, id)
    );
    CREATE UNIQUE INDEX pipelines_one_default ON pipelines (org_id) WHERE is_default;

    CREATE TABLE stages (
      org_id uuid NOT NULL REFERENCES organizations (id),
      id uuid NOT NULL,
      pipeline_id uuid NOT NULL,
      name text NOT NULL,
      is_won boolean NOT NULL,
      is_lost boolean NOT NULL,
      is_closed boolean NOT NULL,
      active boolean NOT NULL,
      display_order integer NOT NULL,
      exit_criteria text,
      entry_criteria text,
      crm_id text,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (org_id, id),
      CONSTRAINT stages_pipeline_id FOREIGN KEY (org_id, pipeline_id) REFERENCES pipelines (org_id, id)
    );
    CREATE INDEX stages_pipeline ON stages (org_id, pipeline_id, id);

    CREATE TABLE opportunities (
      org_id uuid NOT NULL REFERENCES organizations (id),
      id uuid NOT NULL,
      opportunity_name text NOT NULL,
      account_id uuid NOT NULL,
      tags text[] NOT NULL DEFAULT '{}',
      amount numeric(19, 4),
      close_date timestamptz(3),
      stage_id uuid,
      pipeline text,
      crm_id text,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (org_id, id),
      CONSTRAINT opportunities_account_id FOREIGN KEY (org_id, account_id) REFERENCES accounts (org_id, id),
      CONSTRAINT opportunities_stage_id FOREIGN KEY (org_id, stage_id) REFERENCES stages (org_id, id)
    );
    CREATE INDEX opportunities_account ON opportunities (org_id, account_id, id);
  `,
};
