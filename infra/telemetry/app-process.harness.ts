import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApp } from '@relata/testbed/program';
import { natsUrl } from '@relata/testing';
import { type AppName, serviceOf } from '../services.ts';

/** Upper limits, not expected times: a busy machine can stall for seconds. */
const patience = { STOP_TIMEOUT_MS: '60000', DATABASE_CONNECT_TIMEOUT_MS: '30000', CHAT_FIRST_TOKEN_MS: '30000' };

export type AppProcess = Awaited<ReturnType<typeof startAppProcess>>;

/** Starts an app like an operator: as a separate process of its bundle, with its settings in the environment. */
export async function startAppProcess(name: AppName, databaseUrl: string, settings: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'relata-app-'));
  const logFile = join(folder, 'app.log');
  const ofServers = {
    DATABASE_URL: databaseUrl,
    NATS_URL: natsUrl(),
    NATS_PREFIX: new URL(databaseUrl).pathname.slice(1),
  };
  const env = { ...ofServers, ...patience, ...settings };
  const program = await startApp(serviceOf(name), { logFile, env, graceMs: 120_000 });
  let last: string | undefined;
  const output = () => last ?? readFileSync(logFile, 'utf8');
  /** Stops the process and returns its exit code. */
  const stop = async () => {
    await program.stop();
    last = output();
    await rm(folder, { recursive: true, force: true });
    return (await program.exited).code;
  };
  return {
    url: program.url,
    stop,
    output,
    log: () =>
      output()
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    [Symbol.asyncDispose]: async () => void (await stop()),
  };
}
