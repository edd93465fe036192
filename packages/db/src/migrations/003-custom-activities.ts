import type { Migration } from '../migration.ts';

/** Interactions and their links; `position` keeps the order in which the links were sent. */
export const customActivities: Migration = {
  name: '003-custom-activities',
  sql: `
    CREATE TABLE custom_activities (
      org_id uuid NOT NULL REFERENCES organizations (id),
      id uuid NOT NULL,
      content text NOT NULL,
      interaction_type text NOT NULL DEFAULT 'custom',
      direction text CHECK (direction IN ('inbound', 'outbound')),
      source text NOT NULL,
      tags text[] NOT NULL DEFAULT '{}',
      date_time timestamptz(3),
      owner_id uuid,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (org_id, id),
      CONSTRAINT custom_activities_owner_id FOREIGN KEY (org_id, owner_id) REFERENCES users (org_id, id)
    );

    CREATE TABLE custom_activity_contacts (
      org_id uuid NOT NULL,
      activity_id uuid NOT NULL,
      contact_id uuid NOT NULL,
      position integer NOT NULL,
      PRIMARY KEY (org_id, activity_id, contact_id),
      FOREIGN KEY (org_id, activity_id) REFERENCES custom_activities (org_id, id) ON DELETE CASCADE,
      CONSTRAINT custom_activities_contact_ids FOREIGN KEY (org_id, contact_id) REFERENCES contacts (org_id, id)
    );
    CREATE INDEX custom_activity_contacts_contact ON custom_activity_contacts (org_id, contact_id, activity_id);

    CREATE TABLE custom_activity_opportunities (
      org_id uuid NOT NULL,
      activity_id uuid NOT NULL,
      opportunity_id uuid NOT NULL,
      position integer NOT NULL,
      PRIMARY KEY (org_id, activity_id, opportunity_id),
      FOREIGN KEY (org_id, activity_id) REFERENCES custom_activities (org_id, id) ON DELETE CASCADE,
      CONSTRAINT custom_activities_opportunity_ids
        FOREIGN KEY (org_id, opportunity_id) REFERENCES opportunities (org_id, id)
    );
    CREATE INDEX custom_activity_opportunities_opportunity
      ON custom_activity_opportunities (org_id, opportunity_id, activity_id);
  `,
};
