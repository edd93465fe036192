import express from 'express';
import pg from 'pg';
import { serveReady } from '@relata/testbed/serve-ready';

// The least receiver that loses nothing: Express, pg and one prepared INSERT for each post. It has no keys, limits, log
// or workflows.

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 20 });

await pool.query(`CREATE TABLE floor_deliveries (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  path text NOT NULL,
  body jsonb NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now()
)`);

const insert = { name: 'insert', text: 'INSERT INTO floor_deliveries (path, body) VALUES ($1, $2)' };

const app = express();

app.post('/webhooks/*path', express.json(), async (request, response) => {
  await pool.query({ ...insert, values: [request.path, JSON.stringify(request.body)] });
  response.status(202).json({ received: true });
});

serveReady(app);
