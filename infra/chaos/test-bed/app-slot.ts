import { join } from 'node:path';
import { type Exit, freePorts, lastLines } from '@relata/embedded';
import { type Program, startApp } from '@relata/testbed/program';
import { KeptProcess } from '../../local/supervisor/kept-process.ts';
import { type AppName, serviceOf } from '../../services.ts';
import { TcpProxy } from './tcp-proxy.ts';
import { readMetrics } from '@relata/testbed/metrics';
import { until } from '@relata/testbed/until';

export interface SlotOptions {
  app: AppName;
  /** Unique name of the slot, also used as `application_name` in PostgreSQL. */
  name: string;
  databaseUrl: string;
  natsUrls: readonly string[];
  env: Record<string, string>;
  folder: string;
  say: (line: string) => void;
  signal: AbortSignal;
}

const scrapeTimeoutMs = 3_000;
const crashLinesMax = 3;
const graceMs = 4_000;

export type AppSlot = Awaited<ReturnType<typeof openAppSlot>>;

/**
 * Opens a slot for a process, with fixed ports, proxies to PostgreSQL and NATS, and a supervisor that restarts the
 * process.
 */
export async function openAppSlot({ app, name, databaseUrl, natsUrls, folder, say, signal, ...given }: SlotOptions) {
  const [toPostgres, ...toNats] = (await Promise.all(
    [databaseUrl, ...natsUrls].map((url) => TcpProxy.listen(Number(new URL(url).port))),
  )) as [TcpProxy, ...TcpProxy[]];
  const [port, metricsPort] = await freePorts(2);
  const logFile = join(folder, `${name}.log`);
  const database = new URL(databaseUrl);
  database.port = String(toPostgres.port);
  database.searchParams.set('application_name', name);
  const env = {
    LOG_LEVEL: 'warn',
    STOP_DRAIN_MS: '50',
    STOP_TIMEOUT_MS: '3000',
    ...given.env,
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
    DATABASE_URL: database.href,
    NATS_URL: toNats.map((proxy) => `nats://127.0.0.1:${proxy.port}`).join(','),
  };
  const pids = new Set<number>();
  const crashes: string[] = [];
  let kept: KeptProcess<Program> | undefined;
  let pid: number | undefined;
  let isTold = false;
  const onEnd = async ({ code, signal: endedBy }: Exit) => {
    pid = undefined;
    if (!isTold) crashes.push(`${name} ended (${endedBy ?? code}):\n${await lastLines(logFile, 0, crashLinesMax)}`);
  };
  const spawn = async (stop: AbortSignal) => {
    const options = { name, logFile, env, graceMs, hasOwnSession: true, signal: stop };
    const program = await startApp(serviceOf(app), options);
    pid = program.pid;
    pids.add(pid);
    isTold = false;
    void program.exited.then(onEnd);
    return program;
  };
  /** Sends a signal to the process. Returns false if there is none. */
  const send = (how: NodeJS.Signals): boolean => {
    isTold ||= how === 'SIGKILL' || how === 'SIGTERM';
    return pid !== undefined && process.kill(pid, how);
  };
  return {
    name,
    url: `http://127.0.0.1:${port}`,
    toPostgres,
    toNats,
    /** Ids of all processes that ran in this slot. */
    pids,
    /** The last log lines of processes that ended although the suite had sent no signal. */
    crashes,
    /** Id of the process that is ready; undefined while there is none. */
    get pid() {
      return pid;
    },
    start: async () => {
      const pauses = { firstMs: 100, mostMs: 400, calmMs: 1_000 };
      kept = await KeptProcess.start({ name, start: spawn, say, signal, pauses, onRestart: () => undefined });
    },
    send,
    /** Waits until a process other than this one is ready. */
    replaced: (old: number) => until(`${name} is started again`, () => pid !== undefined && pid !== old),
    /**
     * Returns the metrics of the current process by name and labels, or an empty map if the process does not answer.
     */
    metrics: async (): Promise<Map<string, number>> => {
      try {
        const metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
        const response = await fetch(metricsUrl, { signal: AbortSignal.timeout(scrapeTimeoutMs) });
        return readMetrics(await response.text());
      } catch {
        return new Map();
      }
    },
    close: async () => {
      // A frozen process does not handle SIGTERM.
      send('SIGCONT');
      isTold = true;
      await kept?.stop();
      await Promise.all([toPostgres, ...toNats].map((proxy) => proxy[Symbol.asyncDispose]()));
    },
  };
}
