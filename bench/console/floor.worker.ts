import express from 'express';
import pg from 'pg';
import { serveReady } from '@relata/testbed/serve-ready';

// The floor, which shows the minimum cost of some pages: Express, pg and one prepared statement per page, without
// sessions, roles, limits, log and checks. Its conditions are JavaScript, while the console evaluates users'
// expressions.

const orgId = process.env['ORG_ID']!;
const triggerId = process.env['TRIGGER_ID']!;
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10 });

const list = {
  name: 'list',
  text: `SELECT d.id, d.trigger_id, t.name AS trigger, d.received_at, length(d.body) AS bytes, d.replays,
      (SELECT coalesce(json_agg(json_build_object('id', r.id, 'workflow', w.name, 'status', r.status, 'replay', r.replay)), '[]')
       FROM workflow_runs r JOIN workflows w ON w.org_id = r.org_id AND w.id = r.workflow_id
       WHERE r.org_id = d.org_id AND r.delivery_id = d.id) AS runs
    FROM webhook_deliveries d JOIN webhook_triggers t ON t.org_id = d.org_id AND t.id = d.trigger_id
    WHERE d.org_id = $1 ORDER BY d.id DESC LIMIT 101`,
};
const bodies = {
  name: 'bodies',
  text: 'SELECT id, body FROM webhook_deliveries WHERE org_id = $1 ORDER BY id DESC LIMIT $2',
};
const bodiesOfTrigger = {
  name: 'bodies of trigger',
  text: 'SELECT id, body FROM webhook_deliveries WHERE org_id = $1 AND trigger_id = $3 ORDER BY id DESC LIMIT $2',
};
const runs = {
  name: 'runs',
  text: `SELECT id, workflow_id, status, error, created_at FROM workflow_runs WHERE org_id = $1 ORDER BY id DESC LIMIT 11`,
};

interface Sent {
  id: string;
  body: Buffer;
}

const emailOf = ({ body }: Sent) => (JSON.parse(body.toString('utf8')) as { user: { email: string } }).user.email;

const app = express();

app.get('/list', async (_request, response) => {
  const { rows } = await pool.query({ ...list, values: [orgId] });
  response.json({ data: rows });
});

app.get('/search', async (_request, response) => {
  const { rows } = await pool.query<Sent>({ ...bodies, values: [orgId, 1_000] });
  response.json({ data: rows.filter((row) => emailOf(row) === 'nobody@robotics.example') });
});

app.get('/preview', async (_request, response) => {
  const { rows } = await pool.query<Sent>({ ...bodiesOfTrigger, values: [orgId, 20, triggerId] });
  response.json({ data: rows.map((row) => ({ id: row.id, email: emailOf(row) })) });
});

app.get('/today', async (_request, response) => {
  const { rows } = await pool.query({ ...runs, values: [orgId] });
  response.json({ data: rows });
});

serveReady(app);
