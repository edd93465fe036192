import { checkReachable } from '@relata/db';
import { addHealth, createServiceApp, type Draining } from '@relata/http';
import type { Log, Metrics } from '@relata/runtime';
import type { Backends } from '@relata/service/backends';
import type { Bundle } from './shell/bundle.ts';
import { addShell } from './shell/shell.route.ts';
import { addPageHeaders } from './shell/page-headers.route.ts';

export interface ConsoleApp extends Backends {
  log: Log;
  metrics: Metrics;
  stack: AsyncDisposableStack;
  draining: Draining;
  checksAnswers: boolean;
  /** What runs in the browser; undefined where it was not built. */
  bundle: Bundle | undefined;
  /** The origin that people open the console at; undefined for whatever host they ask. */
  consoleUrl: string | undefined;
  /** The origin of the API, triggers and the chat; that of the console unless given. */
  publicUrl: string | undefined;
  /** Proxies in front. */
  proxies: number;
}

/** The console on what was opened for it. */
export function createConsoleApp({ database, bundle, draining, ...context }: ConsoleApp) {
  return createServiceApp({ ...context, draining }, (app) => {
    addPageHeaders(app);
    addHealth(app, { draining, check: () => checkReachable(database) });
    addShell(app, bundle);
  });
}
