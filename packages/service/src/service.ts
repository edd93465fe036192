import type { Log, Metrics, serviceSettings, Settings, SettingsShape } from '@relata/runtime';

export type ServiceSettings = SettingsShape & typeof serviceSettings;

/**
 * What a process of Relata is, said once: whatever starts it, routes to it or describes it reads this. It is cheap to
 * import, because the app itself is behind `load`.
 */
export interface Service<Shape extends ServiceSettings = ServiceSettings> {
  /** Also of its folder in `apps`, and of its host in a network of containers. */
  readonly name: string;
  /**
   * Requests whose path begins with this are routed to it, in whole segments: `/console` is also the path itself, and
   * `/webhooks/` is not. The longest prefix wins. Undefined for none.
   */
  readonly prefix: `/${string}` | undefined;
  /** The format of its errors, which the gateway of a local stack uses in its place; `api` unless given. */
  readonly errorManner?: 'api' | 'webhook';
  readonly settings: Shape;
  /** How Node runs it. */
  readonly nodeOptions: readonly string[];
  load(): Promise<LoadedService<Shape>>;
}

interface LoadedService<Shape extends ServiceSettings> {
  /** Opens everything, puts it on the stack, and returns where the app serves. */
  start(context: ServiceContext<Shape>): Promise<Started>;
}

export interface Started {
  url: string;
}

export interface ServiceContext<Shape extends SettingsShape> {
  name: string;
  settings: Settings<Shape>;
  log: Log;
  metrics: Metrics;
  /** Closed in reverse order when the app stops. */
  stack: AsyncDisposableStack;
  /** Aborted when the app begins to stop. */
  stopping: AbortSignal;
}
