import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createApiKey, createOrganization } from '@relata/auth';
import { service } from '@relata/chat-gateway/service';
import { openDatabase, statement } from '@relata/db';
import { migrateDatabase } from '@relata/db/migrate';
import { startNats, startPostgres } from '@relata/embedded';
import { nodeEnvironment } from '@relata/service';
import { entryOf, type ServiceProcess, startService } from '../process/service-process.ts';
import { modelUrl } from './model.ts';
import { findForAll, knowledge } from './findings.ts';

/** A PostgreSQL and a NATS for the bench alone, in a folder that is deleted afterwards. */
export interface TestBed extends AsyncDisposable {
  folder: string;
  /** The output of the processes. */
  logFile: string;
  postgresVersion: string;
  /** The headers of a visitor's questions. */
  headers: Record<string, string>;
  /** The questions for which the floor has the pages. */
  questions: readonly string[];
  /** Stands in for the configured model. */
  model: ServiceProcess;
  startFloor(options?: StartOptions): Promise<ServiceProcess>;
  startRelata(options?: StartOptions): Promise<ServiceProcess>;
}

export interface StartOptions {
  nodeOptions?: string[];
  /** True if no model is configured. */
  isBuiltIn?: boolean;
}

const root = resolve(import.meta.dirname, '../..');
/** Both have the flags that the gateway has. */
export const gatewayOptions = [...service.nodeOptions];

export async function openTestBed(onProgress: (line: string) => void): Promise<TestBed> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'relata-bench-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), onProgress });
  stack.defer(() => postgres.stop());
  const nats = await startNats({ storeDir: join(folder, 'nats'), binDir: join(root, '.local', 'bin'), onProgress });
  stack.defer(() => nats.stop());
  const { key, postgresVersion } = await prepareDatabase(postgres.url);
  const findings = await findForAll();
  const findingsFile = join(folder, 'findings.json');
  await writeFile(findingsFile, JSON.stringify(findings));
  const logFile = join(folder, 'services.log');
  const model = stack.use(await startService({ file: fileOf('./model.worker.ts'), logFile, env: {} }));
  const environment = nodeEnvironment(join(folder, 'compile-cache'));
  const compiled = new Set<string>();
  const start = async (file: URL, env: Record<string, string>, { nodeOptions = [] }: StartOptions) => {
    const options = { file, logFile, env: { ...environment, ...env } };
    // As after the first start on any machine: the compiled code is cached.
    if (!compiled.has(file.href))
      await (await startService({ ...options, nodeOptions: gatewayOptions }))[Symbol.asyncDispose]();
    compiled.add(file.href);
    return startService({ ...options, nodeOptions: [...gatewayOptions, ...nodeOptions] });
  };
  const servers = { DATABASE_URL: postgres.url, NATS_URL: nats.url };
  const ofModel = { OPENAI_BASE_URL: modelUrl(model), OPENAI_API_KEY: 'sk-bench' };
  const opened = stack.move();
  return {
    folder,
    logFile,
    postgresVersion,
    headers: { 'X-Api-Key': key },
    questions: Object.keys(findings),
    model,
    startFloor: (options = {}) =>
      start(fileOf('./floor.worker.ts'), { FINDINGS_FILE: findingsFile, OPENAI_BASE_URL: modelUrl(model) }, options),
    startRelata: async (options = {}) =>
      start(
        await entryOf(service, options.nodeOptions),
        { ...production, ...servers, ...(!options.isBuiltIn && ofModel) },
        options,
      ),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const fileOf = (path: string) => new URL(path, import.meta.url);

/**
 * Everything that production has is on, but for the limits on a single client; the day's budget is the default. The
 * model never counts as stalled: on a busy machine its token would only not have been read yet.
 */
const production = {
  PORT: '0',
  METRICS_PORT: '0',
  LOG_LEVEL: 'info',
  CHAT_RATE_LIMIT: 'off',
  DEMO_RATE_LIMIT: 'off',
  // One organization alone gets half of them.
  CHAT_STREAMS_MAX: '2000',
  // Counted as ever, but the one client that there is must not be refused.
  CHAT_DAILY_TOKENS_PER_IP: '100000000000',
  CHAT_FIRST_TOKEN_MS: '60000',
  CHAT_MODEL: 'bench',
  KNOWLEDGE_DIR: knowledge.dir,
  KNOWLEDGE_BASE_URL: knowledge.baseUrl,
  STOP_DRAIN_MS: '1',
};

const version = statement<{ server_version: string }>('bench.version', 'SHOW server_version');

async function prepareDatabase(url: string) {
  await migrateDatabase({ url });
  await using database = openDatabase({ url, name: 'bench' });
  const { id: orgId } = await createOrganization(database, 'Bench');
  const { key } = await createApiKey(database, orgId, { name: 'chat', kind: 'secret', scopes: ['chat'] });
  const [row] = await database.query(version, []);
  return { key, postgresVersion: row!.server_version };
}
