import { registerHooks } from 'node:module';

/** Writes a line for each module of OpenTelemetry that a process loads, but for its interfaces: prom-client loads those. */
registerHooks({
  load(url, context, next) {
    if (/\/@opentelemetry\/(?!api\/)/.test(url)) process.stderr.write(`loaded ${url}\n`);
    return next(url, context);
  },
});
