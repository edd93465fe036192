import { Draining, openBackends, serve } from '@relata/http';
import { runApp } from '@relata/runtime';
import { createIngestApp } from './app.ts';
import { settings } from './settings.ts';

const name = 'webhook-ingest';

await runApp({
  name,
  settings,
  async start(context) {
    const { settings: given, stack } = context;
    const backends = await openBackends(name, context);
    const draining = new Draining();
    const { WEBHOOK_RATE_LIMIT: rateLimit, TRUST_PROXY: proxies } = given;
    const app = createIngestApp({ ...context, ...backends, draining, rateLimit, proxies });
    return stack.use(
      await serve(app, {
        host: given.HOST,
        port: given.PORT,
        draining,
        drainMs: given.STOP_DRAIN_MS,
        errorManner: 'webhook',
      }),
    );
  },
});
