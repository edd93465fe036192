import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { service } from '@relata/chat-gateway/service';
import { openDatabase } from '@relata/db';
import { modelFile, modelUrl } from '@relata/testbed/model';
import { createTestOrganization } from '@relata/testbed/fixtures';
import { knowledge } from '@relata/testbed/places';
import { openBenchServers } from '../servers.ts';
import { findForAll } from './findings.ts';

export type TestBed = Awaited<ReturnType<typeof openTestBed>>;

export interface StartOptions {
  nodeOptions?: string[];
  /** True if no model is configured. */
  isBuiltIn?: boolean;
}

export async function openTestBed(stack: AsyncDisposableStack) {
  const servers = await openBenchServers(stack);
  const { folder, logFile, postgresVersion } = servers;
  const key = await createKey(servers.postgres.url);
  const findings = await findForAll();
  const findingsFile = join(folder, 'findings.json');
  await writeFile(findingsFile, JSON.stringify(findings));
  /** A process that takes the place of the configured model. */
  const model = stack.use(await servers.startFile(modelFile));
  const ofModel = { OPENAI_BASE_URL: modelUrl(model), OPENAI_API_KEY: 'sk-bench' };
  return {
    folder,
    logFile,
    postgresVersion,
    headers: { 'X-Api-Key': key },
    /** Questions for which the floor's file has the passages. */
    questions: Object.keys(findings),
    model,
    // Both processes start with the gateway's Node options.
    startFloor: ({ nodeOptions = [] }: StartOptions = {}) =>
      servers.start(service, {
        file: new URL('./floor.worker.ts', import.meta.url),
        env: { FINDINGS_FILE: findingsFile, OPENAI_BASE_URL: modelUrl(model) },
        nodeOptions,
      }),
    startRelata: ({ nodeOptions = [], isBuiltIn = false }: StartOptions = {}) =>
      servers.start(service, { env: { ...production, ...(!isBuiltIn && ofModel) }, nodeOptions }),
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
