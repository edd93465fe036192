import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { service } from '@relata/chat-gateway/service';
import { openDatabase } from '@relata/db';
import { modelFile, modelUrl } from '@relata/testbed/model';
import { openServers } from '@relata/testbed/servers';
import { createTestOrganization } from '@relata/testbed/site';
import { type Program, startProgram } from '@relata/testbed/program';
import { knowledge } from '@relata/testbed/places';
import { findForAll } from './findings.ts';

/** A PostgreSQL and a NATS server that only the bench uses, in a folder that is deleted afterwards. */
export interface TestBed extends AsyncDisposable {
  folder: string;
  logFile: string;
  postgresVersion: string;
  /** The headers of a visitor's questions. */
  headers: Record<string, string>;
  /** Questions for which the floor's file has the passages. */
  questions: readonly string[];
  /** A process that takes the place of the configured model. */
  model: Program;
  startFloor(options?: StartOptions): Promise<Program>;
  startRelata(options?: StartOptions): Promise<Program>;
}

export interface StartOptions {
  nodeOptions?: string[];
  /** True if no model is configured. */
  isBuiltIn?: boolean;
}

const floorFile = new URL('./floor.worker.ts', import.meta.url);

export async function openTestBed(onProgress: (line: string) => void): Promise<TestBed> {
  await using stack = new AsyncDisposableStack();
  const servers = await openServers(stack, { name: 'bench', onProgress });
  const { folder, logFile, postgresVersion } = servers;
  const key = await createKey(servers.postgres.url);
  const findings = await findForAll();
  const findingsFile = join(folder, 'findings.json');
  await writeFile(findingsFile, JSON.stringify(findings));
  const model = stack.use(await startProgram({ name: 'model', file: modelFile, logFile, env: {} }));
  const ofModel = { OPENAI_BASE_URL: modelUrl(model), OPENAI_API_KEY: 'sk-bench' };
  const opened = stack.move();
  return {
    folder,
    logFile,
    postgresVersion,
    headers: { 'X-Api-Key': key },
    questions: Object.keys(findings),
    model,
    // Both processes start with the gateway's Node options.
    startFloor: ({ nodeOptions = [] } = {}) =>
      servers.start(service, {
        file: floorFile,
        env: { FINDINGS_FILE: findingsFile, OPENAI_BASE_URL: modelUrl(model) },
        nodeOptions,
      }),
    startRelata: ({ nodeOptions = [], isBuiltIn = false } = {}) =>
      servers.start(service, { env: { ...production, ...(!isBuiltIn && ofModel) }, nodeOptions }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/**
 * Settings of production, except the limits on a single client. The organization has the default daily budget. The
 * gateway waits 60 seconds for the first token, so that a busy machine does not make the model look stalled.
 */
const production = {
  CHAT_RATE_LIMIT: 'off',
  DEMO_RATE_LIMIT: 'off',
  // A single organization can use half of these streams.
  CHAT_STREAMS_MAX: '2000',
  // Tokens are counted as usual, but all load comes from one address, which must not reach its limit.
  CHAT_DAILY_TOKENS_PER_IP: '100000000000',
  CHAT_FIRST_TOKEN_MS: '60000',
  CHAT_MODEL: 'bench',
  KNOWLEDGE_DIR: knowledge.dir,
  KNOWLEDGE_BASE_URL: knowledge.baseUrl,
  STOP_DRAIN_MS: '1',
};

async function createKey(url: string): Promise<string> {
  await using database = openDatabase({ url, name: 'bench' });
  const { keys } = await createTestOrganization(database, 'Bench', ['chat']);
  return keys[0]!;
}
