import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/**
 * Writes a line for each file that a process loads with code of OpenTelemetry, also as a part of a bundle, except its
 * interfaces, which prom-client loads.
 */
registerHooks({
  load(url, context, next) {
    const isFile = url.startsWith('file:');
    if (isFile && /\/@opentelemetry\/(?!api\/)/.test(readFileSync(new URL(url), 'utf8')))
      process.stderr.write(`loaded ${url}\n`);
    return next(url, context);
  },
});
