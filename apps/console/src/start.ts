import { ShutdownState, serve } from '@relata/http';
import type { ServiceContext, Started } from '@relata/service';
import { openBackends } from '@relata/service/backends';
import { createConsoleApp } from './app.ts';
import type { settings } from './settings.ts';
import { readBundle } from './shell/bundle.ts';

export async function start(context: ServiceContext<typeof settings>): Promise<Started> {
  const { settings: given, stack, log } = context;
  const bundle = await readBundle(log);
  const backends = await openBackends(context);
  const draining = new ShutdownState();
  const app = createConsoleApp({
    ...context,
    ...backends,
    draining,
    bundle,
    checksOutputs: given.NODE_ENV !== 'production',
    consoleUrl: given.CONSOLE_URL,
    publicUrl: given.PUBLIC_URL,
    signingKeys: given.SIGNING_KEYS,
    notifyKeys: given.NOTIFY_KEYS,
    proxies: given.TRUST_PROXY,
    trashDays: given.TRASH_DAYS,
    span: { idleMs: given.SESSION_IDLE, maxMs: given.SESSION_MAX },
  });
  return stack.use(await serve(app, { host: given.HOST, port: given.PORT, draining, drainMs: given.STOP_DRAIN_MS }));
}
