import type { Express, RequestHandler } from 'express';
import { getExchange } from '../exchange/begin-exchange.ts';
import type { ShutdownState } from './server.ts';
import { addPage } from './service-app.ts';

export interface HealthOptions {
  draining: ShutdownState;
  /** Throws while the app cannot work. */
  check: () => Promise<void>;
}

/** Adds `/health/live` (the process runs) and `/health/ready` (it accepts work). */
export function addHealth(app: Express, { draining, check }: HealthOptions): void {
  addCheck(app, '/health/live', answering(200, 'live'));
  addCheck(app, '/health/ready', async (request, response, next) => {
    const state = draining.isDraining ? 'stopping' : await stateOf(check);
    return answering(state === 'ready' ? 200 : 503, state)(request, response, next);
  });
}

/** Adds a check that is logged at `debug`: load balancers request it every few seconds, which would fill the log. */
function addCheck(app: Express, path: string, handler: RequestHandler): void {
  addPage(app, path, (request, response, next) => {
    getExchange(response).logLevel = 'debug';
    return handler(request, response, next);
  });
}

function stateOf(check: () => Promise<void>): Promise<string> {
  return check().then(
    () => 'ready',
    () => 'dependencies unavailable',
  );
}

const answering =
  (status: number, text: string): RequestHandler =>
  (_request, response) =>
    void response.status(status).set('Cache-Control', 'no-store').json({ status: text });
