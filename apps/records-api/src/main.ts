import { Draining, openBackends, serve } from '@relata/http';
import { runApp } from '@relata/runtime';
import { createRecordsApp } from './app.ts';
import { settings } from './settings.ts';

const name = 'records-api';

await runApp({
  name,
  settings,
  async start(context) {
    const { settings: given, stack } = context;
    const backends = await openBackends(name, context);
    const draining = new Draining();
    const checksAnswers = given.NODE_ENV !== 'production';
    const { API_RATE_LIMIT: rateLimit, TRUST_PROXY: proxies } = given;
    const app = createRecordsApp({ ...context, ...backends, draining, checksAnswers, rateLimit, proxies });
    const address = { host: given.HOST, port: given.PORT, draining, drainMs: given.STOP_DRAIN_MS };
    return stack.use(await serve(app, address));
  },
});
