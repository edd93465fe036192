import { analyzeGrownTables } from '@relata/db';
import { ShutdownState, serve } from '@relata/http';
import type { ServiceContext, Started } from '@relata/service';
import { openBackends } from '@relata/service/backends';
import { createRecordsApp } from './app.ts';
import { findDocs } from './docs/docs.route.ts';
import type { settings } from './settings.ts';

export async function start(context: ServiceContext<typeof settings>): Promise<Started> {
  const { settings: given, stack } = context;
  const backends = await openBackends(context);
  stack.use(analyzeGrownTables(backends.database, context.log));
  const draining = new ShutdownState();
  const app = createRecordsApp({
    ...context,
    ...backends,
    draining,
    docs: await findDocs(context.log),
    checksOutputs: given.NODE_ENV !== 'production',
    rateLimit: given.API_RATE_LIMIT,
    trashDays: given.TRASH_DAYS,
    idempotencyHours: given.IDEMPOTENCY_HOURS,
    proxies: given.TRUST_PROXY,
  });
  return stack.use(await serve(app, { host: given.HOST, port: given.PORT, draining, drainMs: given.STOP_DRAIN_MS }));
}
