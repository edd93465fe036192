import { type Db, statement } from '@relata/db';

const mark = statement<never>(
  'demo_data.mark',
  'INSERT INTO demo_data (org_id, kind, id) SELECT $1, $2, unnest($3::uuid[]) ON CONFLICT DO NOTHING',
);

export async function markDemoData(
  db: Db,
  orgId: string,
  kind: 'trigger' | 'workflow',
  ids: readonly string[],
): Promise<void> {
  await db.query(mark, [orgId, kind, ids]);
}

const markPosts = statement<never>(
  'demo_data.mark_posts',
  `INSERT INTO demo_data (org_id, kind, id)
   SELECT org_id, 'delivery', id FROM webhook_deliveries WHERE org_id = $1 AND headers ->> 'user-agent' = $2
   UNION ALL
   SELECT org_id, 'demo_request', id FROM demo_requests WHERE org_id = $1 AND work_email = ANY ($3)
   ON CONFLICT DO NOTHING`,
);

/** Marks deliveries of a sender with this user agent, and demo requests with these email addresses, as demo data. */
export async function markDemoPosts(
  db: Db,
  orgId: string,
  { userAgent, visitors }: { userAgent: string; visitors: readonly string[] },
): Promise<void> {
  await db.query(markPosts, [orgId, userAgent, visitors]);
}

const organizations = statement<{ id: string }>(
  'demo_data.organizations',
  'SELECT DISTINCT org_id AS id FROM demo_data',
);

export async function listDemoOrganizations(db: Db): Promise<string[]> {
  return (await db.query(organizations, [])).map(({ id }) => id);
}
