import { newId } from '@relata/db';
import { accounts } from '@relata/records';
import express from 'express';
import pg from 'pg';
import { serveReady } from '@relata/testbed/serve-ready';

// The floor, which shows the minimum cost of the same work: Express, pg and one named prepared statement per request.
// Its own table lacks the triggers that keep Relata's totals, because the floor counts rows instead.

const orgId = process.env['ORG_ID']!;
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10, options: '-c search_path=floor' });

const shown = accounts.shown.map(({ name }) => name).join(', ');
const written = accounts.writable.map(({ name }) => name);
const places = written.map((_, i) => `$${i + 3}`).join(', ');

const { find } = accounts.statements;
const insert = {
  name: 'insert',
  text: `INSERT INTO accounts (org_id, id, ${written.join(', ')}) VALUES ($1, $2, ${places}) RETURNING ${shown}`,
};
const page = {
  name: 'page',
  text: `SELECT (SELECT count(*) FROM accounts WHERE org_id = $1) AS total, ${shown}
         FROM accounts WHERE org_id = $1 ORDER BY id LIMIT $2 OFFSET $3`,
};

/** Returns the simplest update of the fields that a body names: one statement for each set of names. */
function updateOf(id: string, body: Record<string, unknown>) {
  const names = Object.keys(body).filter((name) => written.includes(name));
  const set = names.map((name, i) => `${name} = $${i + 3}`).join(', ');
  return {
    name: `update ${names.join()}`,
    text: `UPDATE accounts SET ${set}, updated_at = now() WHERE org_id = $1 AND id = $2 RETURNING ${shown}`,
    values: [orgId, id, ...names.map((name) => body[name])],
  };
}

const app = express();

app.get('/v1/records/accounts/:id', async (request, response) => {
  const { rows } = await pool.query({ ...find, values: [orgId, request.params.id] });
  response.json({ data: rows[0] });
});

app.get('/v1/records/accounts', async (request, response) => {
  const { rows } = await pool.query({ ...page, values: [orgId, 25, request.query['offset'] ?? 0] });
  response.json({ data: rows, total: Number(rows[0].total) });
});

app.post('/v1/records/accounts', express.json(), async (request, response) => {
  const values = written.map((name) => request.body[name]);
  const { rows } = await pool.query({ ...insert, values: [orgId, newId(), ...values] });
  response.status(201).json({ data: rows[0] });
});

app.patch('/v1/records/accounts/:id', express.json(), async (request, response) => {
  const { rows } = await pool.query(updateOf(request.params.id, request.body));
  response.json({ data: rows[0] });
});

serveReady(app);
