import { flushCompileCache } from 'node:module';
import {
  createLog,
  createMetrics,
  type Log,
  readSettings,
  serveMetrics,
  type Settings,
  SettingsError,
  unsetEmptyVariables,
} from '@relata/runtime';
import { startTelemetry } from '@relata/telemetry';
import manifest from '../package.json' with { type: 'json' };
import type { Service, ServiceSettings } from './service.ts';

/**
 * Runs a service until SIGTERM, SIGINT or the end of its supervising process, then closes what it opened. Prints all
 * problems of the settings together and exits with 1.
 */
export async function runService(service: Pick<Service, 'name' | 'settings' | 'load'>): Promise<void> {
  const { name } = service;
  // This comes first, because some libraries read the environment when they are loaded.
  unsetEmptyVariables();
  const app = await service.load();
  const settings = settingsOrExit(service.settings);
  if (!settings) return;
  // Tracing starts before the log, whose lines contain trace ids.
  const telemetry = await startTelemetry({
    ...telemetryOptions(name, settings),
    onProblem: (reason) => log.warn({ reason }, 'traces could not be exported'),
  });
  using log = createLog({ name, level: settings.LOG_LEVEL });
  exitOnUncaught(log);
  const stop = new AbortController();
  const stopRequested = stopRequest(stop);
  const stack = new AsyncDisposableStack();
  // Telemetry is closed last, so that spans are still recorded while everything else closes.
  stack.use(telemetry);
  const metrics = createMetrics(name);
  try {
    const { url } = await app.start({ name, settings, log, metrics, stack, stopping: stop.signal });
    const metricsServer = stack.use(await serveMetrics(metrics, { host: settings.HOST, port: settings.METRICS_PORT }));
    process.send?.({ type: 'ready', url, metricsUrl: metricsServer.url });
    log.info({ url, metricsUrl: metricsServer.url }, 'ready');
    // Node would otherwise write this cache on exit: that would delay the stop, and a killed process would lose it.
    flushCompileCache();
    log.info({ reason: await stopRequested }, 'stopping');
  } catch (error) {
    process.exitCode = 1;
    log.fatal({ err: error }, 'could not start');
  }
  await closeWithin(stack, settings.STOP_TIMEOUT_MS, log);
}

function settingsOrExit(shape: ServiceSettings): Settings<ServiceSettings> | undefined {
  try {
    return readSettings(shape);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
    return undefined;
  }
}

function telemetryOptions(name: string, settings: Settings<ServiceSettings>) {
  return {
    service: { name, version: manifest.version },
    endpoint: settings.OTEL_EXPORTER_OTLP_ENDPOINT,
    sampler: { name: settings.OTEL_TRACES_SAMPLER, ratio: settings.OTEL_TRACES_SAMPLER_ARG },
    continuesTraces: settings.TRACEPARENT_IN === 'continue',
  };
}

function stopRequest(stop: AbortController): Promise<string> {
  return new Promise((resolve) => {
    const request = (reason: string) => () => {
      stop.abort();
      resolve(reason);
    };
    process.once('SIGTERM', request('SIGTERM'));
    process.once('SIGINT', request('SIGINT'));
    // A killed supervisor cannot send a message, but its end of the channel closes.
    process.once('disconnect', request('supervisor gone'));
  });
}

function exitOnUncaught(log: Log & Disposable): void {
  const end = (error: unknown) => {
    log.fatal({ err: error }, 'uncaught exception');
    log[Symbol.dispose]();
    process.exit(1);
  };
  process.on('uncaughtException', end).on('unhandledRejection', end);
}

/**
 * Closes everything. If that takes longer than allowed, exits, so that an orchestrator need not kill the process.
 */
async function closeWithin(stack: AsyncDisposableStack, timeoutMs: number, log: Log & Disposable): Promise<void> {
  const deadline = setTimeout(() => {
    log.error({ timeoutMs }, 'did not stop in time');
    log[Symbol.dispose]();
    process.exit(1);
  }, timeoutMs);
  await stack.disposeAsync().catch((error: unknown) => log.error({ err: error }, 'could not close cleanly'));
  clearTimeout(deadline);
  if (process.connected) process.disconnect?.();
  log.info('stopped');
  // A server that does not respond may keep a socket half open. The process exits without waiting for it, since
  // everything important is closed.
  setTimeout(() => process.exit(), 500).unref();
}
