import { spawnServer, type ServerProcess } from '@relata/embedded';
import { inheritedEnvironment } from './app-environment.ts';
import { nodeEnvironment, nodeOptions } from '@relata/service';
import { type AppName, bundleOf, entryOf } from '../../services.ts';
import { paths } from '../paths.ts';

export interface AppOptions {
  name: AppName;
  /** False if the bundles could not be built. The sources run instead. */
  isBundled: boolean;
  port: number;
  metricsPort: number;
  databaseUrl: string;
  /** True if the database is not the embedded one. */
  hasOwnDatabase: boolean;
  natsUrl: string;
  /** Settings of the stack, which override the user's environment. */
  settings: Record<string, string>;
  logFile: string;
  signal: AbortSignal;
}

export interface AppProcess extends ServerProcess {
  url: string;
}

const readyTimeoutMs = 60_000;
const healthTimeoutMs = 2_000;
// The app gives up its own graceful stop a little before it would be killed.
const stopWithinMs = 3_500;
const appStopTimeoutMs = 3_000;

/** Starts an app, and returns once it has reported that it is ready and its health check answers 200. */
export async function startApp(options: AppOptions): Promise<AppProcess> {
  const url = `http://127.0.0.1:${options.port}`;
  const file = options.isBundled ? bundleOf(options.name) : entryOf(options.name);
  let isListening = false;
  const server = await spawnServer({
    name: options.name,
    launch: { command: process.execPath, args: [...nodeOptions, file] },
    env: environmentFor(options),
    logFile: options.logFile,
    stopSteps: [
      { signal: 'SIGTERM', waitMs: stopWithinMs },
      { signal: 'SIGKILL', waitMs: 500 },
    ],
    // The channel also closes when the supervisor ends, and the app then stops itself.
    onMessage: (message) => (isListening ||= isReadyMessage(message)),
    isReady: async () => isListening && isHealthy(url),
    readyTimeoutMs,
    signal: options.signal,
  });
  return { ...server, url };
}

// The app also gets those of its settings that the user has set (OPENAI_API_KEY, API_RATE_LIMIT, OUTBOUND_ALLOW, ...).
function environmentFor({ name, port, metricsPort, ...options }: AppOptions): NodeJS.ProcessEnv {
  const { databaseUrl, natsUrl, settings } = options;
  return {
    NODE_ENV: 'production',
    LOG_LEVEL: 'info',
    STOP_TIMEOUT_MS: String(appStopTimeoutMs),
    // The gateway has stopped before the apps, so there is no load balancer to wait for.
    STOP_DRAIN_MS: '1',
    ...nodeEnvironment(paths.compiled),
    ...inheritedEnvironment(name, { ...process.env, ...settings }, options),
    HOST: '127.0.0.1',
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
    DATABASE_URL: databaseUrl,
    NATS_URL: natsUrl,
    TRUST_PROXY: '1',
  };
}

function isReadyMessage(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'type' in message && message.type === 'ready';
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(healthTimeoutMs) });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    return false;
  }
}
