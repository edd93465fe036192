import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/**
 * Writes a line for each loaded file, including bundles, that contains code of OpenTelemetry. The interfaces of
 * OpenTelemetry do not count, because prom-client loads them.
 */
registerHooks({
  load(url, context, next) {
    const isFile = url.startsWith('file:');
    if (isFile && /\/@opentelemetry\/(?!api\/)/.test(readFileSync(new URL(url), 'utf8')))
      process.stderr.write(`loaded ${url}\n`);
    return next(url, context);
  },
});
