import { contacts, opportunities } from '@relata/records';
import express from 'express';
import pg from 'pg';
import { serveReady } from '@relata/testbed/serve-ready';

// The floor, which shows the minimum cost of the same work: Express, pg and one prepared statement per request. Its
// plain SQL counts all matches and skips rows with OFFSET.

const orgId = process.env['ORG_ID']!;
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10, options: '-c search_path=floor' });

const conditions: Readonly<Record<string, string>> = {
  account_id: 'account_id = $2',
  owner_id: 'owner_id = $2',
  stage_id: 'stage_id = $2',
  'tags[any]': 'tags @> ARRAY[$2]',
  'last_name[prefix]': `lower(last_name) LIKE lower($2) || '%'`,
};

const statements = new Map(
  [contacts, opportunities].flatMap(({ name: table, shown }) =>
    Object.entries(conditions).map(([filter, condition]) => {
      const matching = `FROM ${table} WHERE org_id = $1 AND ${condition}`;
      const text = `SELECT (SELECT count(*) ${matching}) AS total, ${shown.map(({ name }) => name).join(', ')}
        ${matching} ORDER BY id LIMIT 25 OFFSET $3`;
      return [`${table} ${filter}`, { name: `${table} ${filter}`, text }] as const;
    }),
  ),
);

const app = express();

app.get('/v1/records/:list', async (request, response) => {
  const { offset = 0, ...filters } = request.query;
  const [[filter, value]] = Object.entries(filters) as [[string, unknown]];
  const statement = statements.get(`${request.params.list} ${filter}`)!;
  const { rows } = await pool.query({ ...statement, values: [orgId, value, offset] });
  response.json({ data: rows, total: Number(rows[0]?.total ?? 0) });
});

serveReady(app);
