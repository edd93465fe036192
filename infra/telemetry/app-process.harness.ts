import { fork } from 'node:child_process';
import { once } from 'node:events';
import { findSuiteBundle } from '@relata/bundle';
import { nodeEnvironment, nodeOptions } from '@relata/service';
import { natsUrl } from '@relata/testing';
import { paths } from '../local/paths.ts';
import type { AppName } from '../services.ts';

/** Upper limits, not expected times: a busy machine can stall for seconds. */
const patience = { STOP_TIMEOUT_MS: '60000', DATABASE_CONNECT_TIMEOUT_MS: '30000', CHAT_FIRST_TOKEN_MS: '30000' };

export interface AppProcess extends AsyncDisposable {
  url: string;
  output(): string;
  log(): Record<string, unknown>[];
  /** Stops the process and returns its exit code. */
  stop(): Promise<number | null>;
}

/**
 * Starts an app like an operator: as a separate process with its settings in the environment. It runs from its bundle
 * unless a file is given.
 */
export async function startAppProcess(
  name: AppName,
  databaseUrl: string,
  settings: Record<string, string> = {},
  file?: string,
): Promise<AppProcess> {
  const child = fork(file ?? (await findSuiteBundle(name)), {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    execArgv: [...nodeOptions],
    env: {
      ...nodeEnvironment(paths.compiled),
      PATH: process.env['PATH'],
      DATABASE_URL: databaseUrl,
      NATS_URL: natsUrl(),
      NATS_PREFIX: new URL(databaseUrl).pathname.slice(1),
      PORT: '0',
      METRICS_PORT: '0',
      STOP_DRAIN_MS: '1',
      ...patience,
      ...settings,
    },
  });
  let output = '';
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const ended = once(child, 'close') as Promise<[number | null]>;
  const ready = once(child, 'message') as Promise<[{ url: string }]>;
  const failed = ended.then(() => Promise.reject(new Error(output)));
  failed.catch(() => undefined);
  const [{ url }] = await Promise.race([ready, failed]);
  const stop = async () => {
    child.kill('SIGTERM');
    const [code] = await ended;
    return code;
  };
  return {
    url,
    stop,
    output: () => output,
    log: () =>
      output
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    [Symbol.asyncDispose]: async () => void (await stop()),
  };
}
