import express, { type Express, type Response } from 'express';
import type { Draining } from './server.ts';

export interface HealthOptions {
  draining: Draining;
  /** Throws while the app cannot do its work. */
  check: () => Promise<void>;
}

/** `/health/live`: the process runs. `/health/ready`: send it work. */
export function addHealth(app: Express, { draining, check }: HealthOptions): void {
  app.get('/health/live', (_request, response) => answer(response, 200, 'live'));
  app.get('/health/ready', async (_request, response) => {
    if (draining.isDraining) return answer(response, 503, 'stopping');
    const isReady = await check().then(
      () => true,
      () => false,
    );
    answer(response, isReady ? 200 : 503, isReady ? 'ready' : 'waiting for what is behind it');
  });
}

/** An app that answers nothing but its health. */
export function createHealthApp(options: HealthOptions): Express {
  const app = express().disable('x-powered-by');
  addHealth(app, options);
  return app;
}

function answer(response: Response, status: number, text: string): void {
  response.status(status).set('Cache-Control', 'no-store').json({ status: text });
}
