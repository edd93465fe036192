import type { Express, RequestHandler } from 'express';
import type { Draining } from './server.ts';
import { addPage } from './service-app.ts';

export interface HealthOptions {
  draining: Draining;
  /** Throws while the app cannot do its work. */
  check: () => Promise<void>;
}

/** `/health/live`: the process runs. `/health/ready`: send it work. */
export function addHealth(app: Express, { draining, check }: HealthOptions): void {
  addPage(app, '/health/live', answering(200, 'live'));
  addPage(app, '/health/ready', async (request, response, next) => {
    const state = draining.isDraining ? 'stopping' : await stateOf(check);
    return answering(state === 'ready' ? 200 : 503, state)(request, response, next);
  });
}

function stateOf(check: () => Promise<void>): Promise<string> {
  return check().then(
    () => 'ready',
    () => 'waiting for what is behind it',
  );
}

const answering =
  (status: number, text: string): RequestHandler =>
  (_request, response) =>
    void response.status(status).set('Cache-Control', 'no-store').json({ status: text });
