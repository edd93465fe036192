import type { Log, Metrics, serviceSettings, Settings, SettingsShape } from '@relata/runtime';

export type ServiceSettings = SettingsShape & typeof serviceSettings;

/**
 * Description of a process of Relata, used by the code that starts it, routes requests to it or documents it. It is
 * cheap to import, because only `load` imports the app itself.
 */
export interface Service<Shape extends ServiceSettings = ServiceSettings> {
  /** Name of the process, its folder in `apps`, and its host in a container network. */
  readonly name: string;
  /**
   * Prefix of the paths that are routed to it, in whole segments: `/console` includes the path itself, `/webhooks/`
   * does not. The longest prefix wins. Undefined if no paths are routed to it.
   */
  readonly prefix: `/${string}` | undefined;
  /** Format of the errors that the gateway of `npm start` sends on behalf of the app; `api` by default. */
  readonly errorFormat?: 'api' | 'webhook';
  readonly settings: Shape;
  load(): Promise<{
    /** Starts the app, adds what must be closed to the stack, and returns the URL that the app serves. */
    start(context: ServiceContext<Shape>): Promise<Started>;
  }>;
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
