import { newId } from '@relata/db';
import { accounts } from '@relata/records';
import express from 'express';
import pg from 'pg';

// What the same work costs at least: express, pg and one named prepared statement a request, and nothing else. It
// works on a table of its own without the triggers that keep Relata's totals, because it counts instead.

const orgId = process.env['ORG_ID']!;
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10, options: '-c search_path=floor' });

const shown = accounts.shown.map(({ name }) => name).join(', ');
const written = accounts.writable.map(({ name }) => name);
const places = written.map((_, i) => `$${i + 3}`).join(', ');

const { find, update } = accounts.statements;
const insert = {
  name: 'insert',
  text: `INSERT INTO accounts (org_id, id, ${written.join(', ')}) VALUES ($1, $2, ${places}) RETURNING ${shown}`,
};
const page = {
  name: 'page',
  text: `SELECT (SELECT count(*) FROM accounts WHERE org_id = $1) AS total, ${shown}
         FROM accounts WHERE org_id = $1 ORDER BY id LIMIT $2 OFFSET $3`,
};

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
  const { rows } = await pool.query({ ...update, values: [orgId, request.params.id, JSON.stringify(request.body)] });
  response.json({ data: rows[0] });
});

const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address)
    process.send?.({ type: 'ready', url: `http://127.0.0.1:${address.port}` });
});
process.once('disconnect', () => process.exit());
