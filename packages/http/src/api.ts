import type { KnownOrigins } from '@relata/auth';
import type { BaseSpec } from '@relata/schemas';
import type { Express } from 'express';
import type { ExchangeContext } from './exchange/begin-exchange.ts';
import { allowOrigins } from './cors.ts';
import type { Handler } from './handler.ts';
import { type ApiContext, type Handlers, createRoute } from './operation-route.ts';
import { createServiceApp, refuseMethod } from './server/service-app.ts';

export interface ApiOptions<Spec extends BaseSpec, Who, Operations extends Record<string, Spec>>
  extends ApiContext<Spec, Who>, ExchangeContext {
  operations: Operations;
  handlers: Handlers<Operations, Who>;
  /** Origins of web pages that may call the operations; undefined if none may. */
  origins?: KnownOrigins;
  /** Adds middleware that runs before all routes. */
  prepare?: (app: Express) => void;
  /** Adds routes that are not operations, such as documents and pages. */
  extend?: (app: Express) => void;
}

export function createApi<Spec extends BaseSpec, Who, Operations extends Record<string, Spec>>(
  options: ApiOptions<Spec, Who, Operations>,
): Express {
  const byPath = Map.groupBy(Object.values<Spec>(options.operations), ({ path }) => path);
  return createServiceApp(options, (app) => {
    options.prepare?.(app);
    // Paths with fewer parameters come first, since paths with more parameters might match their URLs, too.
    const paths = [...byPath].toSorted(([a], [b]) => parametersOf(a) - parametersOf(b));
    for (const [path, specs] of paths) addOperations(app, path, specs, options);
    options.extend?.(app);
  });
}

const parametersOf = (path: string) => path.split('{').length;

function addOperations<Spec extends BaseSpec, Who, Operations extends Record<string, Spec>>(
  app: Express,
  path: string,
  specs: readonly Spec[],
  options: ApiOptions<Spec, Who, Operations>,
): void {
  const route = app.route(path.replaceAll(/\{(\w+)\}/g, ':$1'));
  if (options.origins) route.all(allowOrigins(options.origins));
  for (const spec of specs) {
    const handler = options.handlers[spec.id as keyof Operations] as Handler<BaseSpec, Who>;
    route[spec.method](createRoute(spec, handler, options));
  }
  route.all(refuseMethod(specs.map(({ method }) => method)));
}
