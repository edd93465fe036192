import { registerHooks } from 'node:module';

/**
 * Writes a line for each module of OpenTelemetry that a process loads, except its interfaces, which prom-client loads.
 */
registerHooks({
  load(url, context, next) {
    if (/\/@opentelemetry\/(?!api\/)/.test(url)) process.stderr.write(`loaded ${url}\n`);
    return next(url, context);
  },
});
