import { ShutdownState, serve } from '@relata/http';
import type { ServiceContext, Started } from '@relata/service';
import { openBackends } from '@relata/service/backends';
import { createIngestApp } from './app.ts';
import type { settings } from './settings.ts';

export async function start(context: ServiceContext<typeof settings>): Promise<Started> {
  const { settings: given, stack } = context;
  const backends = await openBackends(context);
  const draining = new ShutdownState();
  const {
    WEBHOOK_RATE_LIMIT: rateLimit,
    TRUST_PROXY: proxies,
    SIGNING_KEYS: signingKeys,
    SIGNED_BODY_MAX: signedBytesMax,
  } = given;
  const app = createIngestApp({ ...context, ...backends, draining, rateLimit, proxies, signingKeys, signedBytesMax });
  return stack.use(
    await serve(app, {
      host: given.HOST,
      port: given.PORT,
      draining,
      drainMs: given.STOP_DRAIN_MS,
      errorFormat: 'webhook',
      connectionsTakeTurns: true,
    }),
  );
}
