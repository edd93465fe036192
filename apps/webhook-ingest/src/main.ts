import { checkReachable } from '@relata/db';
import { addHealth, createServiceApp, Draining, openBackends, serve } from '@relata/http';
import { runApp } from '@relata/runtime';
import { settings } from './settings.ts';

const name = 'webhook-ingest';

await runApp({
  name,
  settings,
  async start(context) {
    const { settings: given, stack } = context;
    const { database } = await openBackends(name, context);
    const draining = new Draining();
    const app = createServiceApp({ ...context, draining }, (routes) =>
      addHealth(routes, { draining, check: () => checkReachable(database) }),
    );
    return stack.use(await serve(app, { host: given.HOST, port: given.PORT, draining, drainMs: given.STOP_DRAIN_MS }));
  },
});
